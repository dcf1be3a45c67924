import { chmod, stat } from '../../../platform/files/files.ts';
import type { Checkpoint, Git, GuestState } from '../port.ts';
import { line, type Room, tryScript } from '../room.ts';
import { KEEP_GUEST_REFS, TAKE_LARGE_FILES, TAKE_TIPS } from '../scripts/guest.ts';
import { guestPlace } from './places.ts';
import { type GuestRefs, look, readGuestRefs } from './refs.ts';

/** Refs of one iteration that are kept; who makes more is up to something else than work. */
const MOST_KEPT = 100;
const PREFIX = 'refs/ralph/guest';

/**
 * See `Git.adoptGuest`. The guest git dir is never git's own: refs are read as text, objects are packed by a git that
 * works on the real repository, and checked when they come in. Whatever an agent did, there is an answer: without a
 * usable HEAD it is the checkpoint's. May be done again, and on half a guest.
 */
export async function adoptGuest(
  room: Room,
  { name, run, iteration, checkpoint, live }: Parameters<Git['adoptGuest']>[0],
): Promise<GuestState | null> {
  const { dir } = guestPlace(room, name);
  if ((await stat(dir))?.kind !== 'dir') return null;
  await chmod(dir, 0o700);
  const found = await readGuestRefs(dir, checkpoint.head.length);
  const head = (found.branch === null ? found.id : found.refs.get(found.branch)) ?? checkpoint.head;
  const moved = live ? [] : movedRefs(found, checkpoint);
  const wanted = moved.slice(0, MOST_KEPT);
  const store = { dir, live: live ?? false };
  const taken = await takeTips(room, store, checkpoint, [head, ...wanted.map(([, id]) => id)]);

  const problems = [...found.problems, ...taken.problems];
  if (!live && (await look(`${dir}/lfs/objects`))?.kind === 'dir') await tryScript(room, TAKE_LARGE_FILES, [dir]);
  if (moved.length > MOST_KEPT) problems.push(`${moved.length - MOST_KEPT} more refs of the agent were not kept`);
  const kept = await keepRefs(
    room,
    `${PREFIX}/${run}/${iteration}`,
    wanted.filter(([, id]) => taken.types.has(id)),
  );
  if (kept === null) problems.push('refs that the agent made could not be kept');
  const own = taken.types.get(head) === 'commit';
  if (!own)
    problems.push(`HEAD of the agent (${head}) is no commit that could be taken over; its files are not affected`);
  const lost = found.branch !== null && !found.refs.has(found.branch) && found.branch in checkpoint.refs;
  if (lost) problems.push(`${found.branch} is gone from the agent's copy of the git dir`);
  const astray = !own || lost || (found.branch === null && found.id === null);
  return {
    head: own ? head : checkpoint.head,
    branch: astray ? checkpoint.branch : bornBranch(found),
    kept: kept ?? [],
    problems,
  };
}

/** On a branch without a commit (checkout --orphan) there is nothing to tell of, as without a guest. */
function bornBranch({ branch, refs }: GuestRefs): string | null {
  return branch !== null && refs.has(branch) ? branch : null;
}

/** What is new or elsewhere than at the checkpoint, apart from HEAD's own branch and ralph's refs. */
function movedRefs({ branch, refs }: GuestRefs, checkpoint: Checkpoint): (readonly [string, string])[] {
  const moved = [...refs].filter(
    ([name, id]) => name !== branch && !name.startsWith('refs/ralph/') && checkpoint.refs[name] !== id,
  );
  // A ref cannot be above another, nor differ from it in case alone where the file system does not tell them apart.
  const names = new Set(moved.map(([name]) => name.toLowerCase()));
  const seen = new Set<string>();
  return moved.filter(([name]) => {
    const lower = name.toLowerCase();
    const parts = lower.split('/');
    const below = parts.some((_, at) => at > 0 && names.has(parts.slice(0, at).join('/')));
    if (below || seen.has(lower)) return false;
    seen.add(lower);
    return true;
  });
}

/** Where an agent's objects are; `live` while it may still make more. */
interface Store {
  readonly dir: string;
  readonly live: boolean;
}

interface Taken {
  /** Object → type, of tips that are in the real repository with all that they lead to. */
  readonly types: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

async function takeTips(room: Room, store: Store, checkpoint: Checkpoint, wanted: readonly string[]): Promise<Taken> {
  // What a branch of the checkpoint points to is a commit, and needs no process to be known as one.
  const branches = Object.entries(checkpoint.refs).filter(([name]) => name.startsWith('refs/heads/'));
  const known = new Set([checkpoint.head, ...branches.map(([, id]) => id)]);
  const types = new Map<string, string>();
  const tips = [...new Set(wanted)];
  for (const tip of tips) if (known.has(tip)) types.set(tip, 'commit');
  const fresh = tips.filter((tip) => !known.has(tip));
  if (fresh.length === 0) return { types, problems: [] };
  const all = await take(room, store, fresh);
  if (all.types !== null) return { types: new Map([...types, ...all.types]), problems: [] };

  // One that is broken must not keep the others out.
  const problems: string[] = [];
  for (const tip of fresh) {
    const one = await take(room, store, [tip]);
    for (const [id, type] of one.types ?? []) types.set(id, type);
    if (one.types === null)
      problems.push(`${tip} of the agent's copy of the git dir cannot be taken over: ${one.said}`);
  }
  return { types, problems };
}

async function take(
  room: Room,
  { dir, live }: Store,
  tips: readonly string[],
): Promise<{ readonly types: ReadonlyMap<string, string> | null; readonly said: string }> {
  const result = await tryScript(
    room,
    TAKE_TIPS,
    [dir, live ? 'live' : ''],
    Buffer.from(tips.map((tip) => `${tip}\n`).join('')),
  );
  const said = result.stderr.trim().split('\n').at(-1) ?? '';
  if (result.exitCode !== 0) return { types: null, said };
  const lines = line(result.stdout)
    .split('\n')
    .map((entry) => entry.split(' '));
  return { types: new Map(lines.map(([id = '', type = '']) => [id, type])), said };
}

/** Names under which they are kept; null when git refused them. */
async function keepRefs(
  room: Room,
  under: string,
  refs: readonly (readonly [string, string])[],
): Promise<readonly string[] | null> {
  if (refs.length === 0) return [];
  const commands = refs.map(([name, id]) => `update ${under}/${name} ${id}\n`).join('');
  const result = await tryScript(room, KEEP_GUEST_REFS, [], Buffer.from(commands));
  return result.exitCode === 0 ? refs.map(([name]) => `${under}/${name}`) : null;
}
