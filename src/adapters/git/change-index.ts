import { readBytes } from '../../platform/files/files.ts';
import type { RawChange } from './lists.ts';
import { joinNul, pathFromBytes, pathToBytes, splitNul } from './path-bytes.ts';
import { gitError, OFFLINE, type Room, runGit, tryGit } from './room.ts';

/** The first version of an index whose entries can say that their file is to be left alone (gitformat-index). */
const FIRST_WITH_SKIPPED = 3;
const VERSION_AT = 4;
const GONE = '000000';
/** How `ls-files -t` marks such an entry. */
const SKIPPED = Buffer.from('S ');

/**
 * Makes the entries of an index what a commit has there; all others stay. One pass over the list and one over the
 * index: `git reset` with paths looks at each path for each entry, and a commit can have 100,000 of them.
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

/** Those of the user's files that git was told to leave alone: what we write would forget that. */
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

/** What is gone comes first: a file may stand where a folder was. */
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
