import type { CheckResult } from '../../contracts/index.ts';
import type { CheckPorts, RunContext } from '../context.ts';
import { loopFiles } from '../protect/loop-files.ts';
import { keepWhatChanged } from '../protect/rescue.ts';
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
