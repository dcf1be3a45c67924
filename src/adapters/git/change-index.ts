import { readBytes, remove, stat, writeAtomic } from '../../platform/index.ts';
import { joinNul, pathFromBytes, pathToBytes, type RawChange, splitNul } from './lists.ts';
import type { Checkpoint } from './port.ts';
import { gitError, OFFLINE, type Room, runGit, tryGit } from './room.ts';

/** The first version of an index whose entries can be marked as skip-worktree (gitformat-index). */
const FIRST_WITH_SKIPPED = 3;
const VERSION_AT = 4;
const GONE = '000000';
/** How `ls-files -t` marks such an entry. */
const SKIPPED = Buffer.from('S ');

/**
 * Sets the entries of an index to what a commit has for these paths; all others stay. One pass over the list and one
 * over the index: `git reset` with paths checks each path against each entry, and a commit can have 100,000 of them.
 * @param index file of the index, absolute
 * @throws GitError
 */
export async function changeIndex(room: Room, index: string, raw: readonly RawChange[]): Promise<void> {
  if (raw.length === 0) return;
  const alone: Room = { ...room, env: { ...room.env, GIT_INDEX_FILE: index, ...OFFLINE } };
  const skipped = await skippedPaths(alone, index);
  await update(alone, ['--replace', '--index-info'], entries(raw));
  const again = raw.filter(({ path, newMode }) => newMode !== GONE && skipped.has(path)).map(({ path }) => path);
  if (again.length > 0) await update(alone, ['--skip-worktree', '--stdin'], joinNul(again));
}

/** The user's files that git was told to leave alone: the entries we write would lose that mark. */
async function skippedPaths(room: Room, index: string): Promise<ReadonlySet<string>> {
  const bytes = await readBytes(index);
  if (bytes === null || (bytes[VERSION_AT + 3] ?? 0) < FIRST_WITH_SKIPPED) return new Set();
  const listed = splitNul(await runGit(room, 'read the index', ['ls-files', '-t', '-z']));
  const marked = listed.filter((record) => record.subarray(0, SKIPPED.length).equals(SKIPPED));
  return new Set(marked.map((record) => pathFromBytes(record.subarray(SKIPPED.length))));
}

async function update(room: Room, options: readonly string[], input: Buffer): Promise<void> {
  const result = await tryGit(room, ['update-index', '-z', ...options], input);
  if (result.exitCode !== 0) throw gitError(room, 'change the index', result);
}

/** Removed entries come first: a file may now be where a folder was. */
function entries(raw: readonly RawChange[]): Buffer {
  const sorted = [...raw.filter(({ newMode }) => newMode === GONE), ...raw.filter(({ newMode }) => newMode !== GONE)];
  return Buffer.concat(
    sorted.flatMap(({ newMode, newId, path }) => [
      Buffer.from(`${newMode} ${newId}\t`),
      pathToBytes(path),
      Buffer.from([0]),
    ]),
  );
}

/** Signature, version and number of entries, and the hash at the end: every index has at least these. */
const SHORTEST = 32;
const SIGNATURE = 'DIRC';
/** Read whole below this size; a larger file was written by git or on purpose, and git reports its errors. */
const LOOKED_AT = 4_096;

/**
 * An index that git cannot read stops every command, and an agent that writes one would stop every start: the
 * checkpoint's copy replaces it. Such a file contains nothing worth keeping.
 */
export async function healIndex({ repo }: Room, checkpoint: Checkpoint): Promise<void> {
  if (checkpoint.sealed) return;
  const path = `${repo.gitDir}/index`;
  const found = await stat(path);
  if (found === null || (found.kind === 'file' && found.size > LOOKED_AT)) return;
  if (found.kind === 'file' && isIndex(await readBytes(path))) return;
  const copy = checkpoint.index === null ? null : await readBytes(checkpoint.index);
  await remove(path);
  if (copy !== null) await writeAtomic(path, copy);
}

function isIndex(bytes: Uint8Array | null): boolean {
  return (
    bytes !== null && bytes.length >= SHORTEST && Buffer.from(bytes.subarray(0, 4)).toString('latin1') === SIGNATURE
  );
}
