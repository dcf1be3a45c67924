import type { LedgerIteration, LedgerLine } from '../../../src/contracts/index.ts';
import type { Played } from './play.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * Budgets, breaker and attempts, told again in the plainest words, from the ledger alone. None of it shares code with
 * the rules.
 */
export function broken(
  played: Played,
  ledger: readonly LedgerLine[],
  lines: readonly LedgerIteration[],
): readonly string[] {
  return [...budgets(played, lines), ...breaker(played, ledger), ...attempts(played, ledger), ...rate(played, lines)];
}

/** Before each iteration there was something left of every budget. */
function budgets({ world, people }: Played, lines: readonly LedgerIteration[]): readonly string[] {
  const { maxCost, maxTokens, maxIterations } = world.settings;
  const found: string[] = [];
  const spent = new Map<string, { cost: number; tokens: number; counted: number }>();
  const hasMore = people.done.includes('more-iterations');
  for (const line of lines) {
    const so = spent.get(line.run) ?? { cost: 0, tokens: 0, counted: 0 };
    const where = `iteration ${line.run} ${line.iteration}`;
    if (maxCost !== null && so.cost >= maxCost) found.push(`${where} began with $${so.cost} of $${maxCost} spent`);
    if (maxTokens !== null && so.tokens >= maxTokens) found.push(`${where} began with all tokens spent`);
    if (!hasMore && so.counted >= maxIterations) found.push(`${where} is more than ${maxIterations}`);
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = line.usage;
    spent.set(line.run, {
      cost: so.cost + (line.costUsd ?? 0),
      tokens: so.tokens + inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
      // What a provider refused, or a crash cut off, was none.
      counted: so.counted + (line.verdict === 'limited' || line.verdict === 'interrupted' ? 0 : 1),
    });
  }
  return found;
}

/** After so many bad iterations in a row the next one comes after the cool-down, or never. */
function breaker({ world, people }: Played, ledger: readonly LedgerLine[]): readonly string[] {
  const { noProgress, cooldown } = world.settings;
  if (people.done.includes('clock-back') || people.done.includes('clock-forward')) return [];
  const found: string[] = [];
  let row = 0;
  let since = 0;
  for (const line of ledger) {
    if (line.kind === 'circuit-reset') row = 0;
    if (line.kind !== 'iteration') continue;
    if (row >= noProgress && (cooldown === null || line.startedAt < since + cooldown * MINUTE))
      found.push(`iteration ${line.run} ${line.iteration} began after ${row} bad ones, with the circuit open`);
    if (line.counts === 'good') row = 0;
    // The one that spends the last attempt of its story is dealt with by the block.
    if (line.counts === 'bad') row = line.blocked === null ? row + 1 : 0;
    if (line.counts === 'bad') since = line.startedAt + line.durationMs;
  }
  return found;
}

/** Nobody works on a story that failed too often. */
function attempts({ world }: Played, ledger: readonly LedgerLine[]): readonly string[] {
  const found: string[] = [];
  const failed = new Map<string, number>();
  for (const line of ledger) {
    if (line.kind === 'reset') failed.set(line.story, 0);
    if (line.kind !== 'iteration') continue;
    const before = failed.get(line.story) ?? 0;
    if (before >= world.settings.storyMaxAttempts)
      found.push(`iteration ${line.run} ${line.iteration} works on ${line.story} after ${before} failed attempts`);
    if (line.stateChanged) failed.set(line.story, 0);
    else if (['rejected', 'no-progress', 'timed-out', 'agent-error'].includes(line.verdict))
      failed.set(line.story, before + 1);
  }
  return found;
}

/** No more agents within an hour than are allowed; tries of one iteration that was begun may go over. */
function rate({ world, people }: Played, lines: readonly LedgerIteration[]): readonly string[] {
  if (people.done.includes('clock-back') || people.done.includes('clock-forward')) return [];
  const found: string[] = [];
  const { calls } = world.settings;
  const starts: number[] = [];
  for (const line of lines) {
    const within = starts.filter((at) => at > line.startedAt - HOUR).length;
    if (within >= calls && (line.calls ?? []).length > 0)
      found.push(`iteration ${line.run} ${line.iteration} began with ${within} agents in the last hour`);
    starts.push(...(line.calls ?? [line.startedAt]));
  }
  return found;
}
