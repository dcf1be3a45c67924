import type { CheckResult } from '../../contracts/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { CheckPorts, RunContext } from '../context.ts';
import { loopFiles } from '../protect/loop-files.ts';
import { checkInRoom } from '../room/room.ts';
import { runCheck } from './run-check.ts';

/** Which checks to run, and on what. */
interface ChecksToRun {
  readonly commands: readonly string[];
  /** Checks that were red before the run and not green since. */
  readonly redBefore: ReadonlySet<string>;
  /** A snapshot of the work tree; default: its present state. */
  readonly tree?: string;
  /** The commit that the tree builds on; default: HEAD. */
  readonly head?: string | null;
}

/**
 * Runs the checks on a tree: in the clean room, where earlier results of the same tree count; else in the work tree.
 * Each ends after `checks.timeout`. Stopping the run leaves some without a result.
 */
export async function runChecks(
  context: RunContext,
  iteration: number,
  what: ChecksToRun,
): Promise<readonly CheckResult[]> {
  if (what.commands.length === 0) return [];
  const { git, room, workspace } = context;
  if (room === null) return checkInTree(context, iteration, what);
  const { tree = await git.tree(), head = await git.resolve('HEAD') } = what;
  const judged = { tree: await room.treeOf(tree, loopFiles(workspace)), parent: head };
  const results = await checkInRoom(context, room, iteration, judged, what);
  // Without isolation a check can reach the git dir, so the index used for snapshots is rebuilt.
  if (room.isolation.name === 'none' && results.some(({ known }) => !known)) await git.tree();
  return results;
}

/**
 * Runs each command where the agent works, one after the other. Their changes to files that git sees are undone, so
 * that a check can never smuggle work into a commit; a rescue keeps the changes first, because a person may have made
 * them meanwhile.
 */
export async function checkInTree(
  context: RunContext,
  iteration: number,
  what: ChecksToRun,
): Promise<readonly CheckResult[]> {
  const { git } = context;
  const before = await git.tree();
  const results = await checkEach(context, iteration, what);
  const left = await git.tree();
  if (left === before) return results;
  await keepWhatChanged(context, iteration, before, left);
  await git.restoreTree(before);
  return results;
}

/**
 * Runs each command and leaves its changes in place: beside a working agent it is unknown which of them made a change.
 */
export async function checkEach(
  context: CheckPorts,
  iteration: number,
  { commands, redBefore }: Pick<ChecksToRun, 'commands' | 'redBefore'>,
): Promise<readonly CheckResult[]> {
  const { git, isolation } = context;
  const guest = isolation.coversGitDir ? await git.openGuest(GUEST) : null;
  const results: CheckResult[] = [];
  try {
    for (const command of commands) {
      if (context.signal.aborted) break;
      context.emit(iteration, { type: 'check-start', command });
      const ran = await runCheck(context, command, { mounts: guest?.mounts ?? [] });
      // Stopping the run ended it: its exit code says nothing.
      if (context.signal.aborted && !ran.ok) break;
      const result: CheckResult = { ...ran, inTree: true };
      results.push(result);
      context.emit(iteration, { type: 'check', result, baselineRed: redBefore.has(command) });
    }
  } finally {
    if (guest) await git.removeGuest(GUEST);
  }
  return results;
}

/** Name of the guest git dir for checks: no two runs of checks overlap. */
const GUEST = 'checks';

/** Paths that changed while checks of a run ran, by work tree: turns of a run share nothing else in memory. */
const toldOf = new Map<string, { readonly run: string; readonly paths: Set<string> }>();

/**
 * Keeps what changed in the work tree while checks ran, before it is undone: a check's changes cannot be told from
 * those that a person made meanwhile. New files already kept once under the same names are reports and similar output
 * that checks leave every time: they are not kept again.
 */
async function keepWhatChanged(
  { git, run, clock, emit }: Pick<RunContext, 'git' | 'run' | 'clock' | 'emit'>,
  iteration: number,
  before: string,
  after: string,
): Promise<void> {
  const told = pathsToldOf(git.repo.root, run);
  const changes = await git.changes(before, after);
  const lost = changes.filter(({ path, status }) => status !== 'added' || !told.has(path)).map(({ path }) => path);
  if (lost.length === 0) return;
  const { name } = await git.rescue({
    run,
    iteration,
    tree: after,
    // An agent may have left a branch without a commit.
    parents: (await git.descends('HEAD', 'HEAD')) ? ['HEAD'] : [],
    subject: 'rescue: what changed while the checks ran',
    body: lost.join('\n'),
    date: clock.now(),
  });
  const news = lost.filter((path) => !told.has(path));
  for (const path of news) told.add(path);
  if (news.length === 0) return;
  const shown = news.slice(0, 5).join(', ') + (news.length > 5 ? ` and ${news.length - 5} more` : '');
  emit(iteration, {
    type: 'notice',
    level: 'warning',
    remember: true,
    text: `Changed while the checks ran, by them or by you, and restored: ${shown}.`,
    fix: `as it was: ralph rescue restore ${name} ${news.length === 1 ? shellWord(news[0] ?? '') : 'PATH'}; add what checks write to .gitignore`,
  });
}

function pathsToldOf(root: string, run: string): Set<string> {
  const held = toldOf.get(root);
  if (held?.run === run) return held.paths;
  const paths = new Set<string>();
  toldOf.set(root, { run, paths });
  return paths;
}
