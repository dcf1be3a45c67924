import {
  chmod,
  list,
  readBytes,
  realPath,
  remove,
  runCommand,
  stat,
  TEMP_SUFFIX,
  writeAtomic,
} from '../../platform/index.ts';
import type { TrustSnapshot } from './port.ts';
import type { Room } from './room.ts';
import { refuseReplaced } from './room.ts';

/** Files that decide what host git runs: settings (filters, fsmonitor, hooksPath), attributes, hooks, and the git dir's location. Files that settings are included from are added. */
const FILES = ['config', 'config.worktree', 'commondir', 'gitdir'];
const FOLDERS = ['hooks', 'info'];
/** Type bits of a link, as stat(2) has them: a link is kept as its target, not as the bytes behind it. */
const LINK = 0o120000;

/** Valid content of HEAD: a branch, or a commit's id. */
const POINTS_SOMEWHERE = /^(ref: refs\/\S+|[0-9a-f]{40}([0-9a-f]{24})?)\n?$/;

type Entry = TrustSnapshot['files'][string];

export async function snapshotTrust(room: Room): Promise<TrustSnapshot> {
  return { files: Object.fromEntries(await readAll(room)) };
}

export async function restoreTrust(room: Room, snapshot: TrustSnapshot, sealed = false): Promise<readonly string[]> {
  await refuseReplaced(room);
  const now = new Map(await readAll(room));
  const changed: string[] = [];
  for (const path of new Set([...Object.keys(snapshot.files), ...now.keys()])) {
    const [before, after] = [snapshot.files[path] ?? null, now.get(path) ?? null];
    if (before?.mode === after?.mode && before?.base64 === after?.base64) continue;
    if (sealed && isInGitDir(room, path)) continue;
    // The rollback decides where HEAD points, as long as git accepts the folder as a repository.
    if (path === headFile(room) && (before === null || pointsSomewhere(after))) continue;
    changed.push(path);
    await put(path, before);
  }
  return changed.sort();
}

function isInGitDir({ repo: { commonDir, gitDir } }: Room, path: string): boolean {
  return path.startsWith(`${commonDir}/`) || path.startsWith(`${gitDir}/`);
}

async function readAll(room: Room): Promise<(readonly [string, Entry])[]> {
  const roots = [...new Set([room.repo.commonDir, room.repo.gitDir])];
  const named = roots.flatMap((root) => FILES.map((file) => `${root}/${file}`));
  const folders = roots.flatMap((root) => FOLDERS.map((folder) => `${root}/${folder}`));
  const listed = await Promise.all(folders.map(filesBelow));
  const entries = await Promise.all(
    [...named, ...listed.flat(), ...linkFile(room), ...room.drivers.included, headFile(room)].map(
      async (path) => [path, await read(path)] as const,
    ),
  );
  return entries.filter(([, entry]) => entry !== null);
}

/** Of a linked work tree: the file that names its git dir. Without it git uses the repository above. */
function linkFile({ repo: { root, gitDir, commonDir } }: Room): readonly string[] {
  return gitDir === commonDir ? [] : [`${root}/.git`];
}

function headFile({ repo: { gitDir } }: Room): string {
  return `${gitDir}/HEAD`;
}

function pointsSomewhere(head: Entry): boolean {
  return head !== null && POINTS_SOMEWHERE.test(Buffer.from(head.base64, 'base64').toString('latin1'));
}

async function filesBelow(folder: string): Promise<string[]> {
  // git's samples are inert until renamed, and count as new then. A file that another run is writing is inert too.
  const names = (await list(folder)).filter((name) => !name.endsWith('.sample') && !name.endsWith(TEMP_SUFFIX));
  const nested = await Promise.all(
    names.map(async (name) => {
      const path = `${folder}/${name}`;
      return (await stat(path))?.kind === 'dir' ? filesBelow(path) : [path];
    }),
  );
  return nested.flat();
}

async function read(path: string): Promise<Entry> {
  const found = await stat(path);
  if (found === null) return null;
  if (found.kind === 'symlink')
    return { mode: LINK, base64: Buffer.from(await realPath(path).catch(() => '')).toString('base64') };
  const bytes = found.kind === 'file' ? await readBytes(path) : null;
  return bytes && { mode: found.mode, base64: Buffer.from(bytes).toString('base64') };
}

async function put(path: string, entry: Entry): Promise<void> {
  // A file is replaced without a moment in which it is missing: git is at work in other work trees.
  const isPlain = entry !== null && entry.mode !== LINK && (await stat(path))?.kind !== 'dir';
  if (!isPlain) await remove(path);
  if (entry === null) return;
  const bytes = Buffer.from(entry.base64, 'base64');
  if (entry.mode === LINK) {
    await runCommand('ln', ['-s', '--', bytes.toString(), path], { cwd: '/' });
    return;
  }
  await writeAtomic(path, bytes);
  await chmod(path, entry.mode);
}
