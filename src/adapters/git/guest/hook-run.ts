import { readBytes, readText, type ScriptResult, writeAtomic } from '../../../platform/index.ts';
import { GITLINK, splitNul } from '../lists.ts';
import type { CommitRequest, GuestMount } from '../port.ts';
import { sh } from '../prelude.ts';
import { line, type Room, runScript, tryScript, zeroId } from '../room.ts';
import { DISTRUST_OBJECTS, look } from './adopt.ts';
import { insideOf, openGuest, removeGuest } from './open.ts';

const NAME = 'hooks';
/** A longer commit message was not written for people. */
const LONGEST_MESSAGE = 1024 * 1024;

/**
 * Runs commit hooks in a guest git dir that looks like the repository in the middle of this commit: HEAD is its parent,
 * the index and COMMIT_EDITMSG belong to it. The changes that hooks make are adopted afterwards.
 */
export async function runInGuest(
  room: Room,
  request: CommitRequest,
  message: string,
  runAll: (setting: HookSetting) => Promise<HookFailure | null>,
): Promise<HookFailure | string> {
  const { dir, mounts } = await openGuest(room, NAME);
  try {
    const { gitDir } = await insideOf(room);
    const index = (await readBytes(`${room.work}/commit.index`)) ?? new Uint8Array();
    await Promise.all([
      pointHead(dir, request.parent ?? request.checkpoint.head),
      writeAtomic(`${dir}/index`, index, { fsync: false }),
      writeAtomic(`${dir}/COMMIT_EDITMSG`, message, { fsync: false }),
    ]);
    const failure = await runAll({ index: `${gitDir}/index`, message: `${gitDir}/COMMIT_EDITMSG`, mounts });
    if (failure !== null) return failure;
    const complaint = await takeIndex(room, dir, index);
    if (complaint !== null) return { hook: 'pre-commit', output: complaint };
    const edited = await look(`${dir}/COMMIT_EDITMSG`);
    const readable = edited?.kind === 'file' && edited.size <= LONGEST_MESSAGE;
    return (readable ? await readText(`${dir}/COMMIT_EDITMSG`).catch(() => null) : null) ?? message;
  } finally {
    await removeGuest(room, NAME);
  }
}

async function pointHead(dir: string, commit: string): Promise<void> {
  const head = (await readText(`${dir}/HEAD`)) ?? '';
  const file = head.startsWith('ref: ') ? head.slice(5).trim() : 'HEAD';
  await writeAtomic(`${dir}/${file}`, `${commit}\n`, { fsync: false });
}

const LARGEST_INDEX = 1024 * 1024 * 1024;

/**
 * Brings the index of the commit that is being built up to the one in a guest git dir, `before` being the bytes of both
 * when the hooks began. Entries are read and entered one by one and their objects checked: the file itself is never
 * used. Returns what is wrong with it; usually null.
 */
async function takeIndex(room: Room, dir: string, before: Uint8Array): Promise<string | null> {
  const found = await look(`${dir}/index`);
  if (found?.kind !== 'file' || found.size > LARGEST_INDEX) return 'the hook left no index';
  if (Buffer.from(before).equals((await readBytes(`${dir}/index`).catch(() => null)) ?? new Uint8Array())) return null;
  const now = await tryScript(room, LIST_INDEX, [`${dir}/index`]);
  if (now.exitCode !== 0) return complaint('the hook left an index that git cannot read', now);
  const was = entries(await runScript(room, 'read the index of the commit', LIST_INDEX, [`${room.work}/commit.index`]));
  const wanted = entries(now.stdout);
  const gone = [...was.keys()].filter((path) => !wanted.has(path));
  const changed = [...wanted].filter(([path, { text }]) => was.get(path)?.text !== text);
  if (changed.some(([, { stage }]) => stage !== '0')) return 'the hook left a merge half done in the index';
  if (gone.length + changed.length === 0) return null;

  const ids = changed.filter(([, { mode }]) => mode !== GITLINK).map(([, { id }]) => `${id}\n`);
  const objects = await tryScript(room, TAKE_OBJECTS, [dir], Buffer.from(ids.join('')));
  if (objects.exitCode !== 0) return complaint('files that the hook added cannot be adopted', objects);
  const zero = zeroId(room);
  const lines = [
    ...gone.map((path) => `0 ${zero}\t${path}\0`),
    ...changed.map(([path, { mode, id }]) => `${mode} ${id}\t${path}\0`),
  ];
  const taken = await tryScript(room, TAKE_INDEX, [], Buffer.from(lines.join(''), 'latin1'));
  return taken.exitCode === 0 ? null : complaint('what the hook added cannot be committed', taken);
}

interface Entry {
  readonly mode: string;
  readonly id: string;
  readonly stage: string;
  /** The whole entry, for comparison. */
  readonly text: string;
}

/** Parses "<mode> <object> <stage>\t<path>", NUL-terminated. Paths are bytes here: latin1 preserves them. */
function entries(listed: Buffer): Map<string, Entry> {
  return new Map(
    splitNul(listed).map((record) => {
      const text = record.toString('latin1');
      const tab = text.indexOf('\t');
      const [mode = '', id = '', stage = ''] = text.slice(0, tab).split(' ');
      return [text.slice(tab + 1), { mode, id, stage, text }];
    }),
  );
}

function complaint(what: string, { stderr }: ScriptResult): string {
  return `${what}: ${line(Buffer.from(stderr)).split('\n').at(-1) ?? ''}`;
}

export interface HookFailure {
  readonly hook: string;
  readonly output: string;
}

/** The setting in which hooks run. */
export interface HookSetting {
  /** Index and message file as the hooks see them. */
  readonly index: string;
  readonly message: string;
  readonly mounts: readonly GuestMount[];
}

/** $1: guest git dir; standard input: blobs, one per line. Adopts the missing ones; fails where one is not a blob. */
const TAKE_OBJECTS =
  DISTRUST_OBJECTS +
  sh`
cat >"$W/wanted"
git cat-file --batch-check='%(objectname) %(objecttype)' <"$W/wanted" | sed -n 's/ missing$//p' >"$W/new"
take_over "$W/new"
if git cat-file --batch-check='%(objecttype) %(objectname)' <"$W/wanted" | grep -v '^blob ' >&2; then exit 1; fi
`;

/** $1: index file. Prints its entries. */
const LIST_INDEX = sh`
GIT_INDEX_FILE=$1 git ls-files -s -z
`;

/** Standard input: entries for update-index. Brings the index of the commit that is being built up to them. */
const TAKE_INDEX = sh`
: >"$W/commit.holds"
GIT_INDEX_FILE=$W/commit.index git update-index -z --index-info
`;
