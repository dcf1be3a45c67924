import type { LedgerLine, Signals } from '../../contracts/state/ledger.ts';
import { isIgnored } from '../safeguards/attempts.ts';

/** Iterations that the rolling windows look back on. */
const WINDOW = 5;

/** What ends the work, as rows of signals at the end of the window. One of them alone may be a slip. */
const EXITS: readonly { readonly signal: 'done' | 'testOnly'; readonly inRow: number; readonly reason: string }[] = [
  { signal: 'done', inRow: 2, reason: 'the agent called the whole work finished in 2 iterations in a row' },
  { signal: 'testOnly', inRow: 3, reason: 'the last 3 iterations did nothing but run or write tests' },
];

const NOTHING: Signals = { done: false, completion: false, testOnly: false, confidence: 0 };

/**
 * Whether the signals of a run say that the work is over; null while it goes on. Only for work without a backlog:
 * with one, the stories decide.
 * @param history - Oldest first; only the last five count.
 */
export function exitBySignals(history: readonly Signals[]): { readonly reason: string } | null {
  const window = history.slice(-WINDOW);
  for (const { signal, inRow, reason } of EXITS) {
    if (window.length >= inRow && window.slice(-inRow).every((signals) => signals[signal])) return { reason };
  }
  return null;
}

/**
 * The signals of a run, oldest first. Iterations that an interruption or a limit cut short are passed over; one whose
 * work was rolled back finished nothing, whatever its agent said.
 */
export function signalsOf(ledger: readonly LedgerLine[], run: string): readonly Signals[] {
  const history: Signals[] = [];
  for (const line of ledger) {
    if (line.kind !== 'iteration' || line.run !== run || isIgnored(line.verdict)) continue;
    history.push(ROLLED_BACK.has(line.verdict) ? NOTHING : (line.signals ?? NOTHING));
  }
  return history;
}

const ROLLED_BACK: ReadonlySet<string> = new Set(['rejected', 'timed-out', 'agent-error']);
