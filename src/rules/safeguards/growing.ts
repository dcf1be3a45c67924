import type { LedgerIteration, LedgerLine, LedgerReset } from '../../contracts/index.ts';
import { allTokens } from '../text/index.ts';

/**
 * What all lines of a ledger come to. The ledger of a run only grows, and is asked many times in each of thousands of
 * iterations: of a list that was asked before, only the lines at its end are looked at. Any other change of it shows in
 * its last known line or its length; then all are looked at again.
 */
export function growing<State>(start: () => State, see: (state: State, line: LedgerLine) => void) {
  const known = new WeakMap<readonly LedgerLine[], { readonly state: State; lines: number; last?: LedgerLine }>();
  return (ledger: readonly LedgerLine[]): State => {
    const before = known.get(ledger);
    const isGrown = before !== undefined && ledger[before.lines - 1] === before.last && ledger.length >= before.lines;
    const held = isGrown ? before : { state: start(), lines: 0 };
    while (held.lines < ledger.length) {
      held.last = ledger[held.lines] as LedgerLine;
      see(held.state, held.last);
      held.lines += 1;
    }
    known.set(ledger, held);
    return held.state;
  };
}

const byStory = growing(
  () => new Map<string, (LedgerIteration | LedgerReset)[]>(),
  (stories, line) => {
    if (line.kind !== 'iteration' && line.kind !== 'reset') return;
    const own = stories.get(line.story);
    if (own) own.push(line);
    else stories.set(line.story, [line]);
  },
);

/** The iterations of a story, and where a person reset it; oldest first. */
export function linesOf(ledger: readonly LedgerLine[], story: string): readonly (LedgerIteration | LedgerReset)[] {
  return byStory(ledger).get(story) ?? [];
}

/** What the iterations of a run come to. */
interface RunTotals {
  costUsd: number;
  tokens: number;
  durationMs: number;
  /** That count against its limit. */
  used: number;
  /** The highest number. */
  last: number;
}

const byRun = growing(
  () => new Map<string, RunTotals>(),
  (runs, line) => {
    if (line.kind !== 'iteration') return;
    const totals = runs.get(line.run) ?? { costUsd: 0, tokens: 0, durationMs: 0, used: 0, last: 0 };
    totals.costUsd += line.costUsd ?? 0;
    totals.tokens += allTokens(line.usage);
    totals.durationMs += line.durationMs;
    if (!isIgnored(line.verdict)) totals.used += 1;
    totals.last = Math.max(totals.last, line.iteration);
    runs.set(line.run, totals);
  },
);

export function totalsOf(ledger: readonly LedgerLine[], run: string): Readonly<RunTotals> {
  return byRun(ledger).get(run) ?? { costUsd: 0, tokens: 0, durationMs: 0, used: 0, last: 0 };
}

/** Whether an iteration ended for reasons outside the story: it spends no attempt. */
export function isIgnored(verdict: LedgerIteration['verdict']): boolean {
  return verdict === 'interrupted' || verdict === 'limited';
}
