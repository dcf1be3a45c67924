import { dirname } from 'node:path';
import type { Git } from '../adapters/git/index.ts';
import type { Workspace } from '../adapters/workspace/index.ts';
import { type CheckResult, type Config, type Env, UnavailableError } from '../contracts/index.ts';
import { checkInRoom, loopFiles, openRoom, runPlugins } from '../loop/index.ts';
import { remove, systemClock } from '../platform/index.ts';
import { isHarness, type LabTask, passedTests, withScripts } from '../rules/lab/index.ts';
import { isTestFile } from '../rules/project-checks/index.ts';
import type { OpenRun } from '../streams/index.ts';
import { withFailingTests } from './canary.ts';

export interface JudgeInput {
  /**
   * The repository of the trees that are judged. What is judged can read all of its objects: for an agent's work it is
   * one that does not have the future.
   */
  readonly git: Git;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Opens isolation and clean room, as for the checks of a merge. Judges side by side need rooms of different names. */
  readonly openRun: OpenRun;
}

/** A result, with the names of the tests that passed as far as its output says. */
export type JudgeResult = CheckResult & { readonly names: readonly string[] };

/** A clean room for judging one tree after the other. */
export interface Judge {
  readonly git: Git;
  /** Absolute: the checkout of the tree that was checked last. */
  readonly folder: string;
  /** Installs what the tree needs, without running checks. @returns what failed, in a sentence; null: nothing */
  setUp(tree: string, parent: string | null): Promise<string | null>;
  /** Runs the commands on a tree, each time again. Fewer results: it was stopped. */
  check(tree: string, parent: string | null, commands: readonly string[]): Promise<readonly JudgeResult[]>;
  close(): Promise<void>;
}

/** @throws UnavailableError where checks have no clean room */
export async function openJudge({ git, workspace, config: asked, env, signal, openRun }: JudgeInput): Promise<Judge> {
  const config = { ...asked, plugins: [], checks: { ...asked.checks, where: 'room' as const, retries: 0 } };
  const opened = await openRun({ git, workspace, config });
  if (opened.room === null) {
    await opened.close();
    throw new UnavailableError({
      what: 'the lab judges in a clean room, and there is none',
      why: `\`isolation.backend\` is ${opened.checksIsolation.name}, or the cache folder cannot be written`,
      fix: ['`ralph sandbox` shows what works here'],
    });
  }
  const run = `lab-${process.pid}`;
  const emit = () => {};
  const plugins = runPlugins({ config, root: git.repo.root, env, emit, run });
  const outputs = new Map<string, string>();
  const seeOutput = (command: string, output: string) => void outputs.set(command, output);
  const ports = { ...opened, git, config, env, signal, run, clock: systemClock, plugins, emit, seeOutput };
  const opening = await openRoom(opened.room, { ...ports, onRefusal: () => {} });
  // Every result is a new one.
  const room = { ...opening, book: { known: async () => null, wasGreen: async () => false, add: async () => {} } };
  const own = loopFiles(workspace);
  return {
    git,
    folder: room.place.folder,
    async setUp(tree, parent) {
      const { enterRoom } = await import('../loop/room/enter.ts');
      const entered = await enterRoom(ports, room, { tree: await room.treeOf(tree, own), parent });
      if (entered.kind === 'entered') return null;
      const lines = entered.output.split('\n').filter((line) => line.trim() !== '' && !/^\s*note:/i.test(line));
      const said = lines.findLast((line) => /error|not found|no such|denied|cannot|unable/i.test(line)) ?? lines.at(-1);
      return `\`${entered.command}\` failed${said === undefined ? '' : `: ${said.trim()}`}`;
    },
    check: async (tree, parent, commands) => {
      const what = { tree: await room.treeOf(tree, own), parent };
      const results = await checkInRoom(ports, room, 0, what, { commands, redBefore: new Set() });
      return results.map((result) => ({ ...result, names: passedTests(outputs.get(result.command) ?? '') }));
    },
    async close() {
      await room.close();
      await remove(dirname(room.place.folder));
      await Promise.all([opened.isolation.dispose(), opened.checksIsolation.dispose()]);
      await opened.close();
    },
  };
}

/** What is judged of one attempt. */
interface Judgement {
  /** Whether the hidden tests pass, together with all others; null: it was stopped. */
  readonly hiddenPassed: boolean | null;
  /** Commands that were green before and are red now, hidden tests left out. */
  readonly broke: readonly string[];
  /** One sentence. */
  readonly reason: string;
  /** With the hidden tests. */
  readonly results: readonly JudgeResult[];
}

/**
 * Judges what an agent made of the tree before a task. Tests, and what decides how they run, are the person's: an
 * agent's own tests say nothing, and neither does a test that it deleted, weakened or switched off.
 * @param tree in the judge's repository, which also has the tree before
 * @param source the repository that has the commit of the task
 */
export async function judgeTree(judge: Judge, task: LabTask, tree: string, source: Git): Promise<Judgement> {
  const commands = task.checks.map(({ command }) => command);
  const parent = await judge.git.resolve(task.parent);
  const before = await withTests(judge.git, tree, task.before);
  const hidden = await withHidden(judge.git, before, task, source);
  const results = await judge.check(hidden, parent, commands);
  if (results.length < commands.length) return { hiddenPassed: null, broke: [], reason: 'it was stopped', results };
  const red = results.filter((result) => !isPassed(result, task));
  const [first] = red;
  if (first === undefined) return { ...(await provenGreen(judge, task, hidden, parent)), broke: [], results };
  const names = new Set(red.map(({ command }) => command));
  const green = task.checks.filter(({ command, greenBefore }) => greenBefore && names.has(command));
  const again = await judge.check(
    before,
    parent,
    green.map(({ command }) => command),
  );
  const broke = again.filter(({ ok }) => !ok).map(({ command }) => command);
  const how = first.notSetUp
    ? 'could not be set up'
    : first.ok
      ? 'runs fewer tests than it should'
      : first.timedOut
        ? 'takes too long'
        : 'fails';
  return { hiddenPassed: false, broke, reason: `\`${first.command}\` ${how} with the hidden tests`, results };
}

/** Green counts only where the same tests, made to fail, are red. */
async function provenGreen(
  judge: Judge,
  { canFail, tests, checks }: LabTask,
  tree: string,
  parent: string | null,
): Promise<Pick<Judgement, 'hiddenPassed' | 'reason'>> {
  const passed = { hiddenPassed: true, reason: 'the hidden tests pass' };
  const failing = canFail === true ? await withFailingTests(judge.git, tree, tests) : null;
  if (failing === null) return passed;
  const commands = checks.map(({ command }) => command);
  const results = await judge.check(failing, parent, commands);
  if (results.some(({ ok }) => !ok)) return passed;
  if (results.length < commands.length) return { hiddenPassed: null, reason: 'it was stopped' };
  return { hiddenPassed: false, reason: 'the checks are green even where the hidden tests must fail' };
}

/** A command that passes without running the tests proves nothing. */
function isPassed({ command, ok, tests, names }: JudgeResult, { checks }: LabTask): boolean {
  const { passed = 0, names: wanted = [] } = checks.find((check) => check.command === command) ?? {};
  const there = new Set(names);
  return ok && (tests?.passed ?? 0) >= passed && wanted.every((name) => there.has(name));
}

/** The tree with the tests, and what decides how they run, of another tree of the repository. */
export async function withTests(git: Git, tree: string, other: string): Promise<string> {
  const changes = await git.changes(tree, other);
  const judging = changes.filter(({ path }) => isTestFile(path) || isHarness(path));
  const laid = judging.filter(({ status }) => status !== 'deleted').map(({ path }) => path);
  const gone = judging.filter(({ status }) => status === 'deleted').map(({ path }) => path);
  const made = await git.treeFrom(tree, { tree: other, paths: laid, gone });
  return withScriptsOf(
    git,
    made,
    changes.map(({ path }) => path),
    { git, tree: other },
  );
}

/** The tree with the tests of a task's commit, which may be in another repository. */
export async function withHidden(
  git: Git,
  tree: string,
  { after, tests, files }: Pick<LabTask, 'after' | 'tests' | 'files'>,
  source: Git,
): Promise<string> {
  const judging = [...tests, ...files.filter(isHarness)];
  const there = new Set(await source.paths(after));
  const made = await git.treeFrom(tree, {
    tree: after,
    paths: judging.filter((path) => there.has(path)),
    gone: judging.filter((path) => !there.has(path)),
    ...(source.repo.commonDir === git.repo.commonDir ? {} : { gitDir: source.repo.commonDir }),
  });
  return withScriptsOf(git, made, files, { git: source, tree: after });
}

/** Each `package.json` among the paths runs tests as that of another tree does. */
async function withScriptsOf(
  git: Git,
  tree: string,
  paths: readonly string[],
  other: { readonly git: Git; readonly tree: string },
): Promise<string> {
  const files: Record<string, string> = {};
  for (const path of paths.filter((one) => /(?:^|\/)package\.json$/.test(one))) {
    const [own, theirs] = await Promise.all([git.show(tree, path), other.git.show(other.tree, path)]);
    if (own === null || theirs === null) continue;
    const text = Buffer.from(own).toString('utf8');
    const now = withScripts(text, Buffer.from(theirs).toString('utf8'));
    if (now !== text) files[path] = now;
  }
  return Object.keys(files).length === 0 ? tree : git.treeWith(tree, files);
}
