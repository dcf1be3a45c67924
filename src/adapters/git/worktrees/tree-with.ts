import { makeDir } from '../../../platform/files/files.ts';
import { pathFromBytes, pathToBytes, splitNul } from '../path-bytes.ts';
import { line, type Room, runGit, runScript } from '../room.ts';
import { TREE_WITH } from '../scripts/tree-with.ts';

const EXECUTABLE = '100755';
const PLAIN = '100644';

/** See `Git.treeWith`. The bytes go in as they are; a file that was executable stays so. */
export async function treeWith(
  room: Room,
  tree: string,
  files: Readonly<Record<string, string | Uint8Array | null>>,
): Promise<string> {
  await makeDir(room.work);
  const isRemoval = Object.values(files).every((contents) => contents === null);
  const executable = isRemoval ? new Set<string>() : await executables(room, tree);
  const entries = await Promise.all(
    Object.entries(files).map(async ([path, contents]) => {
      const mode = contents === null ? '0' : executable.has(path) ? EXECUTABLE : PLAIN;
      const id = contents === null ? '0'.repeat(room.objectFormat === 'sha256' ? 64 : 40) : await blob(room, contents);
      return Buffer.concat([Buffer.from(`${mode} ${id}\t`), pathToBytes(path), Buffer.of(0)]);
    }),
  );
  return line(await runScript(room, 'make a tree', TREE_WITH, [tree], Buffer.concat(entries)));
}

/** See `Git.treeFrom`. */
export async function treeFrom(
  room: Room,
  base: string,
  { tree, paths, gone }: { readonly tree: string; readonly paths: readonly string[]; readonly gone: readonly string[] },
): Promise<string> {
  await makeDir(room.work);
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', tree, '--', ...paths];
  const laid = paths.length === 0 ? Buffer.of() : await runGit(room, 'list a tree', args);
  const nothing = '0'.repeat(room.objectFormat === 'sha256' ? 64 : 40);
  const removed = gone.map((path) => Buffer.concat([Buffer.from(`0 ${nothing}\t`), pathToBytes(path), Buffer.of(0)]));
  return line(await runScript(room, 'make a tree', TREE_WITH, [base], Buffer.concat([...removed, laid])));
}

async function blob(room: Room, contents: string | Uint8Array): Promise<string> {
  const args = ['hash-object', '-w', '--no-filters', '--stdin'];
  return line(await runGit(room, 'store a file', args, Buffer.from(contents)));
}

async function executables(room: Room, tree: string): Promise<ReadonlySet<string>> {
  const entries = splitNul(await runGit(room, 'list a tree', ['ls-tree', '-r', '-z', '--full-tree', tree]));
  return new Set(
    entries
      .filter((entry) => entry.toString('latin1').startsWith(EXECUTABLE))
      .map((entry) => pathFromBytes(entry.subarray(entry.indexOf('\t') + 1))),
  );
}
