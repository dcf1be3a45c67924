import { isAt, type OutputFile } from '../../platform/process/own-output.ts';
import { pathFromBytes, splitNul } from './path-bytes.ts';
import type { LeftOut } from './port.ts';
import { type Room, runGit } from './room.ts';
import { readLeftOut, writeLeftOut } from './shadow.ts';

/** See `Git.leaveOut`. */
export async function leaveOut(room: Room, files: readonly OutputFile[], keepLast: boolean): Promise<LeftOut> {
  const paths = await pathsOf(room, files);
  const last = keepLast ? await readLeftOut(room) : [];
  const tracked = new Set(await list(room, ['-c', '--', ...paths, ...last]));
  const untracked = [...new Set([...last, ...paths])].filter((path) => !tracked.has(path));
  await writeLeftOut(room, untracked);
  return { untracked, tracked: paths.filter((path) => tracked.has(path)) };
}

/** Where in the work tree they are. */
async function pathsOf(room: Room, files: readonly OutputFile[]): Promise<readonly string[]> {
  const { root } = room.repo;
  const found = files.flatMap(({ path }) => (path?.startsWith(`${root}/`) ? [path.slice(root.length + 1)] : []));
  const unnamed = files.filter(({ path }) => path === null);
  if (unnamed.length > 0) {
    const all = await list(room, ['-c', '-o', '--exclude-standard']);
    found.push(...all.filter((path) => unnamed.some((file) => isAt(`${root}/${path}`, file))));
  }
  // One that was deleted since, or lies in a git dir, is no file of the work tree.
  return found.filter(
    (path) => files.some((file) => isAt(`${root}/${path}`, file)) && !path.split('/').includes('.git'),
  );
}

async function list(room: Room, args: readonly string[]): Promise<readonly string[]> {
  if (args.at(-1) === '--') return [];
  const listed = await runGit(room, 'list files', ['--literal-pathspecs', 'ls-files', '-z', ...args]);
  return splitNul(listed).map(pathFromBytes);
}
