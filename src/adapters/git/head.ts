import { GitRefusal } from '../../contracts/index.ts';
import { exists, list, processExists, readBytes, readText, remove, stat } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { Checkpoint, HeadMove, Repo, UserIntervention } from './port.ts';
import { askGit, line, type Room, runGit } from './room.ts';

/**
 * `GIT_REFLOG_ACTION` of processes that an agent starts while it works in the person's own git dir: git begins their
 * entries in the log of HEAD with it.
 */
export const AGENT_ACTION = 'ralph agent';
/** Prefix of the log entries for moves that ralph makes. */
const OWN_ACTION = 'ralph: ';
/** Longer logs and lists were not written by hand. */
const MOST_LOG_BYTES = 16 * 1024 * 1024;

/** The length of the log of HEAD: a checkpoint records it, so that later entries can be recognised. */
export async function headLogSize({ gitDir }: Repo): Promise<number> {
  const found = await stat(`${gitDir}/logs/HEAD`);
  return found?.kind === 'file' ? found.size : 0;
}

export async function movesSince(
  { repo }: Room,
  { headLog }: Pick<Checkpoint, 'headLog'>,
): Promise<readonly HeadMove[]> {
  const size = await headLogSize(repo);
  // A shorter log was rewritten: which of its lines are later is unknown.
  if (headLog === undefined || size <= headLog || size - headLog > MOST_LOG_BYTES) return [];
  const bytes = (await readBytes(`${repo.gitDir}/logs/HEAD`)) ?? [];
  const later = Buffer.from(bytes).subarray(headLog).toString('utf8');
  return later.split('\n').flatMap((text) => {
    const [, from, to, message = ''] = ENTRY.exec(text) ?? [];
    return from === undefined || to === undefined ? [] : [{ from, to, message, by: madeBy(message) }];
  });
}

const ENTRY = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> \d+ [+-]\d{4}(?:\t(.*))?$/;

function madeBy(message: string): HeadMove['by'] {
  if (message.startsWith(AGENT_ACTION)) return 'agent';
  return message.startsWith(OWN_ACTION) ? 'loop' : 'person';
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/;
/** Ordinary names only: git treats others specially, and none of these leads out of the folder. */
const ON_BRANCH = /^ref: (refs\/heads\/[\w-][\w.+@-]*(?:\/[\w-][\w.+@-]*)*)\n$/;

interface Head {
  readonly commit: string;
  readonly branch: string | null;
}

/**
 * HEAD and its branch as their files have them, without starting git. A branch's own file overrides all other places
 * where git keeps refs.
 * @returns null where only git can tell: a packed, symbolic or unborn branch, another ref storage
 */
export async function looseHead({ gitDir, commonDir }: Repo): Promise<Head | null> {
  const head = (await readOwn(`${gitDir}/HEAD`)) ?? '';
  const [, detached] = COMMIT.exec(head) ?? [];
  if (detached !== undefined) return { commit: detached, branch: null };
  const [, branch] = ON_BRANCH.exec(head) ?? [];
  if (branch === undefined || branch.includes('..')) return null;
  const commit = await looseRef({ commonDir }, branch);
  return commit === null ? null : { commit, branch };
}

/** The commit that the file of a ref names. */
export async function looseRef({ commonDir }: Pick<Repo, 'commonDir'>, ref: string): Promise<string | null> {
  return COMMIT.exec((await readOwn(`${commonDir}/${ref}`)) ?? '')?.[1] ?? null;
}

/** A link would be an old-style symbolic ref. */
async function readOwn(path: string, most = MOST_LOG_BYTES): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  return found?.kind === 'file' && found.size <= most ? readText(path) : null;
}

export interface RefList {
  /** Empty on a branch without a commit. */
  readonly head: string;
  readonly branch: string | null;
  /** Every ref outside refs/ralph. */
  readonly refs: Readonly<Record<string, string>>;
}

export async function readRefs(room: Room): Promise<RefList> {
  return (await refsInFiles(room.repo)) ?? refsByGit(room);
}

export async function refsByGit(room: Room): Promise<RefList> {
  const output = await runGit(room, 'list refs', ['for-each-ref', '--format=%(HEAD)%(objectname) %(refname)']);
  const refs: Record<string, string> = {};
  let branch: string | null = null;
  for (const entry of line(output).split('\n')) {
    const space = entry.indexOf(' ', 1);
    const name = entry.slice(space + 1);
    if (space < 0 || name.startsWith('refs/ralph/')) continue;
    // Git stars HEAD's branch.
    if (entry.startsWith('*')) branch = name;
    refs[name] = entry.slice(1, space);
  }
  const head = branch === null ? await askGit(room, ['rev-parse', '-q', '--verify', 'HEAD']) : refs[branch];
  return { head: head ?? '', branch, refs };
}

/** More are read faster by git. */
const MOST_REF_FILES = 500;
const LONGEST_REF = 4_096;
const PACKED = /^([0-9a-f]{40,64}) (refs\/(?!ralph\/).*)$/gm;
/** Refs that each work tree has of its own. */
const OF_ONE_TREE = /^refs\/(bisect|rewritten|worktree)\//;

/** Refs as their files have them, without starting git. @returns null where only git can tell */
async function refsInFiles(repo: Repo): Promise<RefList | null> {
  const { gitDir, commonDir } = repo;
  const head = await looseHead(repo);
  const own = gitDir === commonDir ? [] : await list(`${gitDir}/refs`);
  if (head === null || own.length > 0 || (await exists(`${commonDir}/reftable`))) return null;
  const loose = new Map<string, string>();
  const folders = ['refs'];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await list(`${commonDir}/${folder}`)) {
      const ref = `${folder}/${name}`;
      if (ref === 'refs/ralph' || name.endsWith('.lock')) continue;
      const found = await stat(`${commonDir}/${ref}`);
      if (found?.kind === 'dir') folders.push(ref);
      else loose.set(ref, (await readOwn(`${commonDir}/${ref}`, LONGEST_REF)) ?? '');
    }
    if (loose.size + folders.length > MOST_REF_FILES) return null;
  }
  // Afterwards: a ref that was packed meanwhile is found here.
  const packed = (await exists(`${commonDir}/packed-refs`)) ? await readOwn(`${commonDir}/packed-refs`) : '';
  if (packed === null) return null;
  const refs = Object.fromEntries([...packed.matchAll(PACKED)].map(([, id = '', ref = '']) => [ref, id]));
  for (const [ref, text] of loose) {
    const [, target] = /^ref: (\S+)\n$/.exec(text) ?? [];
    const id = COMMIT.exec((target === undefined ? text : loose.get(target)) ?? '')?.[1] ?? refs[target ?? ''];
    if (id === undefined || (gitDir !== commonDir && OF_ONE_TREE.test(ref))) return null;
    refs[ref] = id;
  }
  return { ...head, head: head.commit, refs };
}

/** HEAD, with an empty commit where its branch has none. */
export async function headNow(room: Room): Promise<Head> {
  const loose = await looseHead(room.repo);
  if (loose !== null) return loose;
  const [branch, commit] = await Promise.all([
    askGit(room, ['symbolic-ref', '-q', 'HEAD']),
    askGit(room, ['rev-parse', '-q', '--verify', 'HEAD^{commit}']),
  ]);
  return { branch, commit: commit ?? '' };
}

/** Operations that can be under way in a git dir, by the file that shows each. */
const OPERATIONS: readonly { readonly file: string; readonly name: string; readonly ways: readonly string[] }[] = [
  { file: 'MERGE_HEAD', name: 'merge', ways: ['git merge --continue', 'git merge --abort'] },
  { file: 'rebase-merge', name: 'rebase', ways: ['git rebase --continue', 'git rebase --abort'] },
  {
    file: 'rebase-apply',
    name: 'rebase (or git am)',
    ways: ['git rebase --continue', 'git rebase --abort', 'git am --abort'],
  },
  { file: 'CHERRY_PICK_HEAD', name: 'cherry-pick', ways: ['git cherry-pick --continue', 'git cherry-pick --abort'] },
  { file: 'REVERT_HEAD', name: 'revert', ways: ['git revert --continue', 'git revert --abort'] },
  { file: 'BISECT_LOG', name: 'bisect', ways: ['git bisect reset'] },
];

type Operation = Extract<UserIntervention, { readonly kind: 'operation' }>;

async function operationIn(gitDir: string): Promise<Operation | null> {
  for (const { file, name, ways } of OPERATIONS)
    if (await exists(`${gitDir}/${file}`)) return { kind: 'operation', name, file: `${gitDir}/${file}`, ways };
  return null;
}

const ITERATIONS = 'the commit of an iteration would end it or get lost in it';

export async function refuseOperationsUnderWay({ repo }: Room, why = ITERATIONS): Promise<void> {
  const operation = await operationIn(repo.gitDir);
  if (operation === null) return;
  const { name, file, ways } = operation;
  throw new GitRefusal({ what: `a ${name} is under way in this work tree`, where: file, why, fix: ways });
}

/** Content of our lock of the index, so that a lock whose owner was killed can be distinguished from git's own. */
export const LOCK_TEXT = 'ralph\n';

async function lockedIn(gitDir: string): Promise<Operation | null> {
  for (const name of ['index.lock', 'HEAD.lock']) {
    const file = `${gitDir}/${name}`;
    if (!(await isForeignLock(file))) continue;
    return { kind: 'operation', name: 'git command', file, ways: [unlocking(file)] };
  }
  return null;
}

export function unlocking(lock: string): string {
  return `if no git process is running there: rm ${shellWord(lock)}`;
}

/** A lock that a killed loop left is removed: this process holds the lock of the run, so the lock's owner is gone. */
export async function isForeignLock(path: string): Promise<boolean> {
  if ((await stat(path)) === null || (await removeIfKilled(path))) return false;
  if ((await readText(path).catch(() => null)) !== LOCK_TEXT) return true;
  await remove(path);
  return false;
}

/** The lock of a script that moves a branch names its process. */
export async function removeIfKilled(path: string): Promise<boolean> {
  const [, script] = /^ralph (\d+)\n$/.exec((await readText(path).catch(() => null)) ?? '') ?? [];
  if (script === undefined || processExists(Number(script))) return false;
  await remove(path);
  return true;
}

export async function userIntervention(
  room: Room,
  checkpoint: Checkpoint | null,
  also: readonly string[],
): Promise<UserIntervention | null> {
  const { gitDir } = room.repo;
  if (checkpoint === null) return (await operationIn(gitDir)) ?? lockedIn(gitDir);
  const { sealed, head, branch } = checkpoint;
  const operation = sealed ? ((await operationIn(gitDir)) ?? (await lockedIn(gitDir))) : null;
  if (operation !== null) return operation;
  const now = await headNow(room);
  if (now.branch !== branch) return sealed ? { kind: 'switched', to: now.branch } : null;
  const isAgents = !sealed && now.commit === '';
  const isExpected = isAgents || now.commit === head || also.includes(now.commit);
  return isExpected ? null : { kind: 'moved', to: now.commit };
}
