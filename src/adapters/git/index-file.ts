import { pathFromBytes, readBytes, remove, stat, writeAtomic } from '../../platform/index.ts';
import { ABSENT, indexInfo, joinNul, type RawChange, splitNul } from './lists.ts';
import type { Checkpoint } from './port.ts';
import { gitError, type IndexList, OFFLINE, type Room, runGit, tryGit } from './room.ts';

/** Documentation/gitformat-index.txt: signature, version, number of entries; at the end a hash. */
const SIGNATURE = 'DIRC';
const HEADER_BYTES = 12;
const VERSION_AT = 4;
const COUNT_AT = 8;
/** The first version whose entries can be marked as skip-worktree. */
const FIRST_WITH_SKIPPED = 3;
/** Bytes of an entry before its object's name: times, device, inode, mode, owner, size. */
const STAT_BYTES = 40;
const EXTENDED = 0x4000;
/** In an entry: its mode, whose upper bits are the type. */
const MODE_AT = 24;
const GITLINK_TYPE = 0o16;

/**
 * Reads a git index of version 2 or 3, which git writes unless configured otherwise.
 * @returns null for any other, a split index included
 */
export async function readIndex(file: string, objectFormat: string): Promise<IndexList | null> {
  const written = Math.floor(((await stat(file))?.mtimeMs ?? 0) / 1_000);
  const found = await readBytes(file);
  if (found === null) return null;
  const bytes = Buffer.from(found.buffer, found.byteOffset, found.length);
  const hash = objectFormat === 'sha256' ? 32 : 20;
  if (bytes.length < HEADER_BYTES + hash || bytes.toString('latin1', 0, VERSION_AT) !== SIGNATURE) return null;
  const version = bytes.readUInt32BE(VERSION_AT);
  if (version !== 2 && version !== 3) return null;
  const paths: string[] = [];
  const entries: number[] = [];
  const end = bytes.length - hash;
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(COUNT_AT); left > 0; left -= 1) {
    const flagsAt = at + STAT_BYTES + hash;
    if (flagsAt + 2 > end) return null;
    const nameAt = flagsAt + ((bytes.readUInt16BE(flagsAt) & EXTENDED) === 0 ? 2 : 4);
    const nameEnd = bytes.indexOf(0, nameAt);
    if (nameEnd < 0 || nameEnd >= end) return null;
    paths.push(bytes.toString('latin1', nameAt, nameEnd));
    entries.push(at);
    // One to eight NULs, so that an entry's length is a multiple of eight.
    at += (nameEnd - at + 8) & ~7;
  }
  // An extension at the end may name another index that this one builds on.
  for (; at + 8 <= end; at += 8 + bytes.readUInt32BE(at + 4))
    if (bytes.toString('latin1', at, at + 4) === 'link') return null;
  return { paths, bytes, at: entries, written };
}

/**
 * The paths whose file may have changed between two readings of an index that git brought up to the work tree each
 * time. An entry holds the time of change, which the kernel sets; git compares its seconds, so nothing is known of an
 * entry from the second in which the index was written, or later, and nothing of another repository's folder.
 */
export function changedBetween(before: IndexList, now: IndexList): readonly string[] {
  let last = 0;
  return now.paths.filter((path, which) => {
    while (last < before.paths.length && (before.paths[last] ?? '') < path) last += 1;
    const [old, at] = [before.at[last], now.at[which] ?? 0];
    if (old === undefined || before.paths[last] !== path) return true;
    if (before.bytes.compare(now.bytes, at, at + STAT_BYTES, old, old + STAT_BYTES) !== 0) return true;
    const isLink = now.bytes.readUInt32BE(at + MODE_AT) >>> 12 === GITLINK_TYPE;
    return isLink || before.bytes.readUInt32BE(old) >= before.written;
  });
}

/**
 * Sets the entries of an index to what a commit has for these paths; all others stay. One pass over the list and one
 * over the index: `git reset` with paths checks each path against each entry, and a commit can have 100,000 of them.
 * @param index file of the index, absolute
 * @throws GitError
 */
export async function changeIndex(room: Room, index: string, raw: readonly RawChange[]): Promise<void> {
  if (raw.length === 0) return;
  const own: Room = { ...room, env: { ...room.env, GIT_INDEX_FILE: index, ...OFFLINE } };
  const update = async (options: readonly string[], input: Buffer) => {
    const result = await tryGit(own, ['update-index', '-z', ...options], input);
    if (result.exitCode !== 0) throw gitError(room, 'change the index', result);
  };
  const skipped = await skippedPaths(own, index);
  const isGone = ({ newMode }: RawChange) => newMode === ABSENT;
  // Removed entries come first: a file may now be where a folder was.
  const sorted = [...raw.filter(isGone), ...raw.filter((change) => !isGone(change))];
  await update(['--replace', '--index-info'], indexInfo(sorted));
  const again = raw.filter((change) => !isGone(change) && skipped.has(change.path)).map(({ path }) => path);
  if (again.length > 0) await update(['--skip-worktree', '--stdin'], joinNul(again));
}

/** The user's files that git was told to leave alone: the entries we write would lose that mark. */
async function skippedPaths(room: Room, index: string): Promise<ReadonlySet<string>> {
  const bytes = await readBytes(index);
  if (bytes === null || (bytes[VERSION_AT + 3] ?? 0) < FIRST_WITH_SKIPPED) return new Set();
  const listed = splitNul(await runGit(room, 'read the index', ['ls-files', '-t', '-z']));
  const marked = listed.filter((record) => record.toString('latin1', 0, 2) === 'S ');
  return new Set(marked.map((record) => pathFromBytes(record.subarray(2))));
}

/** Every index has at least a header and a hash. */
const SHORTEST = 32;
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
  const bytes = found.kind === 'file' ? Buffer.from((await readBytes(path)) ?? []) : Buffer.of();
  if (bytes.length >= SHORTEST && bytes.toString('latin1', 0, VERSION_AT) === SIGNATURE) return;
  const copy = checkpoint.index === null ? null : await readBytes(checkpoint.index);
  await remove(path);
  if (copy !== null) await writeAtomic(path, copy);
}
