import type { TurnOutcome, TurnReport, TurnUse } from '../contracts/streams.ts';
import type { LeftBudgets } from '../rules/safeguards/api.ts';
import type { RunSummary } from './tell/summary.ts';

export type { LeftBudgets };

/** What comes after a turn of a run that goes on. */
export type Between = Exclude<TurnOutcome, { readonly kind: 'done' }>;

/** How a call of `runLoop` came out; `used` is what this call added to the ledger. */
export type RunOutcome =
  | { readonly kind: 'ended'; readonly summary: RunSummary; readonly used: TurnUse }
  /** The run is open: the next turn goes on, here or elsewhere. Only where the request asked for a turn. */
  | { readonly kind: 'between'; readonly run: string; readonly outcome: Between; readonly used: TurnUse };

/** What an engine is told of a turn. */
export function reportOf({ used, ...end }: RunOutcome): TurnReport {
  if (end.kind === 'between') return { outcome: end.outcome, used };
  const { reason, exitCode, detail } = end.summary;
  return { outcome: { kind: 'done', reason, exitCode, text: detail }, used };
}
