import type { Git } from '../adapters/git/index.ts';
import { detectChecks } from '../adapters/workspace/index.ts';
import { UsageError } from '../contracts/index.ts';
import { crashpoint, oneAtATime, systemClock } from '../platform/index.ts';
import { type DroppedCommit, type LabTask, namedIn, storyOf } from '../rules/lab/index.ts';
import { proofFiles } from '../rules/proof.ts';
import { withFailingTests } from './canary.ts';
import { type Judge, type JudgeInput, type JudgeResult, openJudge, withHidden, withTests } from './judge.ts';
import { type LabTasks, labFolder, readTasks, withLab, writeTasks } from './store.ts';

interface MineInput extends Omit<JudgeInput, 'openRun'> {
  /** A clean room for each number. */
  readonly openRun: (lane: number) => JudgeInput['openRun'];
  /** As git names it. */
  readonly range: string;
  /** Commits that are looked at. */
  readonly most: number;
  /** How often each direction runs. */
  readonly repeat: number;
  readonly parallel: number;
  /** Empty: those that the files of each tree name. */
  readonly checks: readonly string[];
  /** Judge commits again that were dropped after a try. */
  readonly again: boolean;
  /** Reports progress to people: one sentence. */
  readonly tell: (text: string) => void;
}

export interface Mined extends LabTasks {
  /** Commits of the range that were looked at, now or earlier. */
  readonly looked: number;
  /** Commits that are not judged yet: it was stopped. */
  readonly left: number;
}

type Commit = NonNullable<Awaited<ReturnType<Git['commitsIn']>>>[number];

interface Candidate extends Commit {
  readonly parent: string;
  readonly files: readonly string[];
  readonly hidden: readonly string[];
}

/** Reasons that a look at the commit gives; all others need a try. */
const AT_A_LOOK = new Set(['merge', 'first commit', 'no tests', 'no code']);

/**
 * Finds the commits of a range that can be judged by their own tests, and keeps each as a task. What was judged once,
 * here or in an earlier call that was cut off, is not judged again, and tasks that a person edited stay.
 * @throws UsageError for a range that names no commits; LockedError while another process does this
 */
export async function mine(input: MineInput): Promise<Mined> {
  const { git, range, most, again, signal, tell } = input;
  const commits = await git.commitsIn(range, most);
  if (commits === null) {
    const fix = ['name commits as git does: HEAD~50.., v1.0..main, or a branch'];
    throw new UsageError({ what: `'${range}' names no commits of this repository`, where: git.repo.root, fix });
  }
  const folder = labFolder(git);
  return withLab(folder, 'mine', async () => {
    const ids = new Set(commits.map(({ id }) => id));
    const inTurn = oneAtATime();
    /** The file is read each time: a person may edit it meanwhile. */
    const change = (how: (now: LabTasks) => LabTasks) =>
      inTurn(async () => writeTasks(folder, how(await readTasks(folder))));
    const add = (found: LabTask | DroppedCommit) =>
      change(({ tasks, dropped }) =>
        'reason' in found ? { tasks, dropped: [...dropped, found] } : { tasks: [...tasks, found], dropped },
      );
    if (again) {
      await change(({ tasks, dropped }) => ({
        tasks,
        dropped: dropped.filter(({ commit, reason }) => !ids.has(commit) || AT_A_LOOK.has(reason)),
      }));
    }
    const { tasks, dropped } = await readTasks(folder);
    const known = new Set([...tasks, ...dropped].map(({ commit }) => commit));
    const seen = await Promise.all(commits.filter(({ id }) => !known.has(id)).map((commit) => look(git, commit)));
    const atOnce = seen.filter((one): one is DroppedCommit => 'reason' in one);
    if (atOnce.length > 0) await change((now) => ({ ...now, dropped: [...now.dropped, ...atOnce] }));
    const queue = seen.filter((one): one is Candidate => 'parent' in one);
    const all = queue.length;
    if (all > 0) tell(`${all} of ${commits.length} commits changed code and tests; each is tried in a clean room`);
    let left = all;
    const lane = async (at: number): Promise<void> => {
      const judge = await openJudge({ ...input, openRun: input.openRun(at) });
      try {
        for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
          const found = await judgeCommit(judge, next, input);
          // What a stop ended says nothing.
          if (found === null || signal.aborted) return;
          await add(found);
          crashpoint('lab-judged');
          left -= 1;
          const result = 'reason' in found ? [found.reason, found.detail].filter(Boolean).join(': ') : 'a task';
          tell(`[${all - left}/${all}] ${next.id.slice(0, 12)} ${next.subject}: ${result}`);
        }
      } finally {
        await judge.close();
      }
    };
    const lanes = Array.from({ length: Math.min(input.parallel, all) }, (_, at) => lane(at));
    const failed = (await Promise.allSettled(lanes)).find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    const now = await readTasks(folder);
    const inRange = <T extends { readonly commit: string }>(list: readonly T[]) =>
      list.filter(({ commit }) => ids.has(commit));
    return { tasks: inRange(now.tasks), dropped: inRange(now.dropped), looked: commits.length, left };
  });
}

function drop({ id, subject }: Commit, reason: string, detail: string | null = null): DroppedCommit {
  return { commit: id, title: subject, reason, detail };
}

async function look(git: Git, commit: Commit): Promise<Candidate | DroppedCommit> {
  const [parent, ...others] = commit.parents;
  if (others.length > 0) return drop(commit, 'merge');
  if (parent === undefined) return drop(commit, 'first commit');
  const changes = await git.changes(parent, commit.id);
  const { tests, laid, gone, code } = proofFiles(changes);
  if (tests.length === 0) return drop(commit, 'no tests');
  if (code.length === 0) return drop(commit, 'no code');
  const hidden = [...laid, ...gone].sort();
  const files = changes.map(({ path }) => path).filter((path) => !hidden.includes(path));
  return { ...commit, parent, files, hidden };
}

/** Null: it was stopped. */
async function judgeCommit(
  judge: Judge,
  commit: Candidate,
  { checks, repeat }: Pick<MineInput, 'checks' | 'repeat'>,
): Promise<LabTask | DroppedCommit | null> {
  const { git } = judge;
  const { id, parent, files, hidden: tests } = commit;
  const [before, after] = await Promise.all([treeOf(git, parent), treeOf(git, id)]);
  const problem = await judge.setUp(after, parent);
  if (problem !== null) return drop(commit, 'set-up failed', problem);
  const commands = checks.length > 0 ? checks : await detectChecks(judge.folder);
  if (commands.length === 0) return drop(commit, 'no checks', 'its files name no command that runs its tests');
  const hidden = await withHidden(git, before, { after, tests, files }, git);
  const rounds: (readonly JudgeResult[])[] = [];
  for (let round = 0; round < repeat; round += 1) {
    for (const tree of [after, hidden]) {
      const results = await judge.check(tree, parent, commands);
      if (results.length < commands.length) return null;
      rounds.push(results);
      const [first] = rounds;
      const unset = results.find(({ notSetUp }) => notSetUp !== undefined);
      if (unset) return drop(commit, 'set-up failed', `\`${unset.notSetUp}\` failed on the tree before`);
      const flicker = flickers(rounds);
      if (flicker !== null) return drop(commit, 'flaky', `\`${flicker}\` is green and red on the same tree`);
      if (first !== undefined && rounds.length <= 2) {
        const reason = unfit(first, rounds[1] ?? null);
        if (reason !== null) return drop(commit, ...reason);
      }
    }
  }
  const [now = []] = rounds;
  const green = now.filter(({ ok }) => ok).map(({ command }) => command);
  const stillGreen = new Set(green);
  const without: JudgeResult[] = [];
  for (const tree of [before, await withTests(git, after, before)]) {
    const asked = [...stillGreen];
    const results = await judge.check(tree, parent, asked);
    if (results.length < asked.length) return null;
    for (const { command, ok } of results) if (!ok) stillGreen.delete(command);
    if (tree === before) without.push(...results);
  }
  const failing = await withFailingTests(git, after, tests);
  const failed = failing === null ? [] : await judge.check(failing, parent, green);
  if (failing !== null && failed.length < green.length) return null;
  const texts = await Promise.all(tests.map((path) => git.show(after, path)));
  const text = texts.map((bytes) => Buffer.from(bytes ?? []).toString('utf8')).join('\n');
  const view = await git.commitView(id);
  const counted = (view?.files ?? []).filter(({ path }) => !tests.includes(path));
  const sum = (of: 'added' | 'deleted') => counted.reduce((total, file) => total + (file[of] ?? 0), 0);
  return {
    id: id.slice(0, 12),
    commit: id,
    parent,
    before,
    after,
    story: storyOf({ ...commit, patch: view?.patch ?? '', tests }),
    tests: [...tests],
    files: [...files],
    size: { files: counted.length, added: sum('added'), removed: sum('deleted') },
    checks: green.map((command) => {
      const of = (results: readonly JudgeResult[]) => results.find((result) => result.command === command);
      const count = of(now)?.tests?.passed || null;
      const passed = count && Math.max(1, Math.min(count, of(without)?.tests?.passed ?? 1));
      // Rounds on the tree after and on the one before take turns.
      const each = rounds.filter((_, at) => at % 2 === 0).map((results) => new Set(of(results)?.names));
      const names = namedIn(text, of(now)?.names ?? []).filter((name) => each.every((some) => some.has(name)));
      return {
        command,
        greenBefore: stillGreen.has(command),
        ...(passed !== null && { passed }),
        ...(names.length > 0 && { names }),
      };
    }),
    canFail: failed.some(({ ok }) => !ok),
    judgeSeconds: now.reduce((total, { durationMs }) => total + durationMs, 0) / 1000,
    minedAt: new Date(systemClock.now()).toISOString(),
  };
}

const treeOf = (git: Git, commit: string) => git.treeFrom(commit, { tree: commit, paths: [], gone: [] });

/** The command that was green and red on one of the two trees that take turns; null: none. */
function flickers(rounds: readonly (readonly JudgeResult[])[]): string | null {
  const other = rounds.at(-3);
  return rounds.at(-1)?.find(({ ok }, at) => other !== undefined && other[at]?.ok !== ok)?.command ?? null;
}

/** Why the tests cannot judge, by the tree after and, if it ran, the tree before with the hidden tests. */
function unfit(
  after: readonly JudgeResult[],
  hidden: readonly JudgeResult[] | null,
): readonly [reason: string, detail: string] | null {
  const list = (results: readonly JudgeResult[]) => results.map(({ command }) => `\`${command}\``).join(', ');
  const green = after.filter(({ ok }) => ok);
  if (green.length === 0) return ['fails after', `${list(after)} is red with the commit`];
  if (hidden === null || green.some(({ command }) => hidden.some((one) => one.command === command && !one.ok)))
    return null;
  return ['passes before', `${list(green)} is green with the tests alone`];
}
