import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { LedgerLine } from '../../../src/contracts/index.ts';
import { missingWork, questionsOf } from '../accepted-work.ts';
import { listTree } from '../tree-listing.ts';
import type { Place } from './place.ts';
import { survivors } from './processes.ts';
import type { Call } from './program.ts';
import { storyId } from './scenario.ts';

/** What ralph and its agents own in a work tree; all the rest is the user's. */
const NOT_THE_USERS = ['.git', '.ralph', 'ralph', 'src', 'work'];

export interface UserState {
  readonly files: Readonly<Record<string, string>>;
  /** Staged changes, what git says of the work tree, stash, config and hooks, by name. */
  readonly git: Readonly<Record<string, string>>;
  readonly refs: Readonly<Record<string, string>>;
}

/** Everything that a user has before a run. */
export async function userStateOf({ root, git, gitDir }: Place, without: readonly string[] = []): Promise<UserState> {
  const others = ['--', '.', ...[...NOT_THE_USERS, ...without].map((path) => `:(exclude)${path}`)];
  const refs = (await git('for-each-ref', '--format=%(refname) %(objectname)'))
    .split('\n')
    .filter((line) => !/^refs\/(ralph\/|heads\/ralph\/|stash )/.test(line))
    .map((line) => line.split(' '));
  return {
    files: await listTree(root, { without: [...NOT_THE_USERS, ...without] }),
    git: {
      staged: await git('diff', '--cached', '--binary', '--full-index', '--no-renames', ...others),
      status: await git('status', '--porcelain=v2', '-z', '--no-renames', '-uall', ...others),
      stash: await git('stash', 'list'),
      config: await readFile(`${gitDir}/config`, 'utf8'),
      hooks: JSON.stringify(await listTree(`${gitDir}/hooks`).catch(() => ({}))),
    },
    refs: Object.fromEntries(refs),
  };
}

/** Pure. What of the user's is another thing than before. */
export function changedOfUser(before: UserState, after: UserState): readonly string[] {
  const changed = (kind: string, one: Readonly<Record<string, string>>, two: Readonly<Record<string, string>>) =>
    [...new Set([...Object.keys(one), ...Object.keys(two)])]
      .filter((key) => one[key] !== two[key])
      .map((key) => `the user's ${kind} ${JSON.stringify(key)}: ${short(one[key])} → ${short(two[key])}`);
  return [
    ...changed('file', before.files, after.files),
    ...changed('git state', before.git, after.git),
    ...changed('ref', before.refs, after.refs),
  ];
}

const short = (text: string | undefined): string =>
  text === undefined ? 'absent' : JSON.stringify(text.slice(0, 300));

/** One commit per accepted or advanced iteration, one mark per story. Pure. */
export function wrongCommits(subjects: readonly string[], stories: number): readonly string[] {
  const left = subjects.filter((subject) => !subject.startsWith('chore(ralph)'));
  const count = (start: string): number => left.filter((subject) => subject.startsWith(start)).length;
  const wrong: string[] = [];
  let known = 0;
  for (let at = 0; at < stories; at += 1) {
    const id = storyId(at);
    for (const subject of [`feat(${id}): story`, `review(${id}): approved`])
      if (count(subject) !== 1) wrong.push(`${count(subject)} commits "${subject}", not 1`);
    const asked = count(`review(${id}): changes`);
    if (asked !== count(`fix(${id})`)) wrong.push(`${count(`fix(${id})`)} fixes of ${id} for ${asked} reviews`);
    known += count(`feat(${id}): story`) + count(`review(${id}): approved`) + asked + count(`fix(${id})`);
  }
  if (known !== left.length) wrong.push(`commits nobody knows: ${left.join(' | ')}`);
  return wrong;
}

/** Everything that an agent said it had written and that no ref leads to. */
export async function lostMarks({ outside, git }: Place): Promise<readonly string[]> {
  const marks = (await readFile(`${outside}/marks`, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const objects = new Set((await git('rev-list', '--all', '--objects')).split('\n').map((line) => line.slice(0, 40)));
  return marks
    .filter((mark) => !objects.has(blobId(`${mark}\n`)))
    .map((mark) => `lost: what the agent wrote as ${mark}`);
}

/** Stories of the branch that are done and whose accepted work is not there. */
export async function lostStories({ gitDir, git }: Place): Promise<readonly string[]> {
  const text = await readFile(`${gitDir}/ralph/ledger.jsonl`, 'utf8').catch(() => '');
  const ledger = text.split('\n').flatMap((line): LedgerLine[] => {
    try {
      return [JSON.parse(line)];
    } catch {
      // Cut off by a fault, or the empty end.
      return [];
    }
  });
  const head = await git('rev-parse', 'ralph/test');
  const backlog = JSON.parse(await git('show', `${head}:ralph/tasks.json`));
  const done = backlog.userStories.flatMap(({ id, passes }: { id: string; passes: boolean }) => (passes ? [id] : []));
  const answers = new Map<string, readonly string[]>();
  for (const [from, to] of questionsOf(ledger, head)) {
    const names = await git('diff', '--name-only', '--no-renames', '-z', from, to).catch(() => null);
    if (names !== null) answers.set(`${from} ${to}`, names.split('\0').filter(Boolean));
  }
  return missingWork(done, ledger, head, (from, to) => answers.get(`${from} ${to}`) ?? []);
}

/** The id that git gives to a file with this content. */
function blobId(content: string): string {
  return createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex');
}

/** Temp files and lock files that nobody will come back for. */
export async function strays({ root, gitDir, temp, outside }: Place): Promise<readonly string[]> {
  const list = async (folder: string): Promise<readonly string[]> =>
    (await readdir(folder, { recursive: true }).catch(() => [])).map((path) => `${folder}/${path}`);
  const found = [...(await list(`${root}/ralph`)), ...(await list(`${root}/.ralph`)), ...(await list(gitDir))];
  const inRoot = (await readdir(root)).map((path) => `${root}/${path}`);
  const left = [...found, ...inRoot].filter(
    (path) =>
      path.endsWith('.ralph-tmp') || /\.ralph-active$/.test(path) || (/\.lock$/.test(path) && path.startsWith(gitDir)),
  );
  // Not the folders that programs keep for all that they will ever start.
  const temps = (await readdir(temp).catch(() => [])).filter((name) => name !== 'node-compile-cache');
  return [...left, ...temps.map((name) => `${temp}/${name}`)].map(
    (path) => `left behind: ${path.replace(`${outside}/`, '')}`,
  );
}

export async function leftProcesses({ base, outside }: Place): Promise<readonly string[]> {
  // A warden ends orphans within two seconds of the loop's death.
  for (let tries = 0; ; tries += 1) {
    const left = await survivors(base, `${outside}/pids`);
    if (left.length === 0 || tries >= 300) return left.map((line) => `still runs: ${line}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const CODES = new Set([0, 1, 2, 3, 4, 5, 6, 7, 130, 143]);
const STACK = /\n\s+at .*[:(].*:\d+:\d+\)?/;

/** What is wrong about how one call ended and what it said. Pure. */
export function wrongCall({ args, code, signal, stdout, stderr, late }: Call): readonly string[] {
  const call = `ralph ${args.filter((arg) => !arg.includes('/')).join(' ')}`;
  const wrong: string[] = [];
  if (late) return [`${call} did not end:\n${stdout.slice(-600)}${stderr.slice(-600)}`];
  if (signal === null && (code === null || !CODES.has(code)))
    wrong.push(`${call} ended with ${code}:\n${stderr.slice(-800)}`);
  if (STACK.test(stderr) || STACK.test(stdout))
    wrong.push(`${call} shows a stack:\n${(STACK.test(stderr) ? stderr : stdout).slice(-1500)}`);
  if (stderr.includes('This is a bug in ralph')) wrong.push(`${call} calls itself a bug:\n${stderr.slice(-800)}`);
  if (code === 2 && !(/^Error: \S/m.test(stderr) && /fix:/.test(stderr)))
    wrong.push(`${call} ended with 2 and says no way out:\n${stdout.slice(-300)}${stderr.slice(-800)}`);
  return wrong;
}
