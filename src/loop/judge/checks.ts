import type { CheckResult } from '../../contracts/model.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import type { RunRecord } from '../../contracts/state/run-record.ts';
import type { RunContext } from '../context.ts';
import { keepWhatChanged } from '../keep/keep-changed.ts';
import { loopFiles } from '../keep/loop-files.ts';
import { type CheckPorts, checkInRoom } from '../room/room.ts';
import { runCheck } from './run-check.ts';

/** Which checks, and on what. */
export interface ChecksToRun {
  readonly commands: readonly string[];
  /** Those that were red before the run and not green since. */
  readonly redBefore: ReadonlySet<string>;
  /** A snapshot of the work tree; default: as it is now. */
  readonly tree?: string;
  /** The commit that it builds on; default: HEAD. */
  readonly head?: string | null;
}

/**
 * Runs the checks on a tree: in the clean room, where results of the same tree count again; else in the work tree. Each
 * ends after `checks.timeout`. A stop of the run leaves some without a result.
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
  // Without an isolation a check can reach the git dir: what snapshots are taken with is made again.
  if (room.isolation.name === 'none' && results.some(({ known }) => !known)) await git.tree();
  return results;
}

/**
 * Runs each command where the agent works, one after the other. What they change in files that git sees is undone, so
 * that a check can never smuggle work into a commit; it goes to a rescue first, because a person may have written it
 * meanwhile.
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
 * Runs each command and leaves what it changed where it is: beside a working agent nobody can tell whose change it was.
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

/** Name of the guest git dir of checks: two runs of them never overlap. */
const GUEST = 'checks';

/**
 * Commands that must stay green: green at the baseline, or in any accepted or advanced iteration of this run.
 * What was red and never green stays out: it is shown and blocks nobody.
 */
export function greenCommands(record: RunRecord, ledger: readonly LedgerLine[]): ReadonlySet<string> {
  const green = new Set((record.baseline ?? []).filter((check) => check.ok).map((check) => check.command));
  for (const line of ledger) {
    if (line.kind !== 'iteration' || line.run !== record.run) continue;
    if (line.verdict !== 'accepted' && line.verdict !== 'advanced') continue;
    for (const check of line.checks) if (check.ok) green.add(check.command);
  }
  return green;
}

/** Commands that were red before the first iteration and have not been green since. */
export function redAtBaseline(record: RunRecord, green: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    (record.baseline ?? []).filter((check) => !check.ok && !green.has(check.command)).map((check) => check.command),
  );
}
