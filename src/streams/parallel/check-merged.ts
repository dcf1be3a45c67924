import type { CheckResult } from '../../contracts/model.ts';
import { checkCommands } from '../../loop/judge/check-commands.ts';
import { greenCommands, redAtBaseline, runChecks } from '../../loop/judge/checks.ts';
import type { Crew, Lane } from './crew.ts';
import { insideLane } from './inside-lane.ts';
import type { Merged } from './merge.ts';
import { lastNumber } from './take-over.ts';

/**
 * Runs the checks of a story on the merged tree, in the lane's work tree: what its checks need is installed there.
 * @returns those that are red and were not before the run
 */
export async function failingWhenMerged(
  crew: Crew,
  lane: Lane,
  merged: Extract<Merged, { kind: 'merged' }>,
): Promise<readonly CheckResult[]> {
  const { context } = crew;
  const { config, record, ledger } = context;
  const commands = checkCommands(config, merged.backlog, merged.story);
  if (commands.length === 0) return [];
  await lane.git.resetTo(merged.to);
  const known = redAtBaseline(record, greenCommands(record, ledger));
  const iteration = await lastNumber(crew, lane);
  const results = await insideLane(crew, lane, (inside) =>
    runChecks(inside, iteration, { commands, redBefore: known }),
  );
  return results.filter(({ ok, command }) => !ok && !known.has(command));
}
