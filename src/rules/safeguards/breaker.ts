import type { LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';
import type { Breaker, GateInput } from './api.ts';
import type { Alarm } from './breaker-alarm.ts';
import { evidenceOf, mendOf, reasonOf } from './breaker-words.ts';
import { errorOf } from './error-of-line.ts';
import { hasDeclined, remember, usualOutputs } from './output-decline.ts';

type Settings = GateInput['circuit'];

/** Iterations that an alarm names as its evidence. */
const SHOWN = 5;

/** An alarm that stands. */
interface Raised extends Alarm {
  /** Epoch ms of the end of the iteration that raised it. */
  readonly since: number;
  /** The last bad ones that were tried after a cool-down, oldest first. */
  readonly trials: readonly LedgerIteration[];
}

/** Everything since the last good iteration, or since a person closed the breaker. */
interface Memory {
  /** Bad ones in a row; one that blocks its story starts the row again. */
  bad: LedgerIteration[];
  /** Those that blocked their story. */
  readonly blocks: LedgerIteration[];
  /** By normalised error. */
  readonly errors: Map<string, LedgerIteration[]>;
  /** The error seen most often; the later one of equals. */
  worst: { readonly error: string; readonly lines: readonly LedgerIteration[] } | null;
  /** The last one with far less output than was usual. */
  decline: LedgerIteration | null;
  raised: Raised | null;
}

/**
 * The circuit breaker after all iterations of the workspace, in whichever run: bad ones in a row, the same error again
 * and again, or two stories in a row that ran out of attempts open it; one below a threshold, or far less output,
 * half-opens it; a good one closes it and forgets. What ends while it is open is the trial after a cool-down.
 */
export function breakerOf(ledger: readonly LedgerLine[], settings: Settings): Breaker {
  const start = ledger.findLastIndex(forgets) + 1;
  // What came before only says how much output is usual.
  const outputs = usualOutputs(ledger.slice(0, start));
  const memory = nothing();
  for (const line of ledger.slice(start)) {
    if (line.kind !== 'iteration' || line.counts !== 'bad') continue;
    if (hasDeclined(outputs, line, settings.outputDecline)) memory.decline = line;
    count(memory, line);
    memory.raised = raisedAfter(memory, line, settings);
    remember(outputs, line);
  }
  return described(memory);
}

function forgets(line: LedgerLine): boolean {
  return line.kind === 'circuit-reset' || (line.kind === 'iteration' && line.counts === 'good');
}

function nothing(): Memory {
  return { bad: [], blocks: [], errors: new Map(), worst: null, decline: null, raised: null };
}

function count(memory: Memory, line: LedgerIteration): void {
  memory.bad.push(line);
  // The attempt cap comes before the breaker: the iteration that spends the last attempt is dealt with by the block.
  if (line.blocked !== null) {
    memory.blocks.push(line);
    memory.bad = [];
  }
  const error = errorOf(line);
  if (error === null) return;
  const lines = memory.errors.get(error) ?? [];
  lines.push(line);
  memory.errors.set(error, lines);
  if (lines.length >= (memory.worst?.lines.length ?? 0)) memory.worst = { error, lines };
}

function raisedAfter(memory: Memory, line: LedgerIteration, settings: Settings): Raised | null {
  const before = memory.raised;
  const since = line.startedAt + line.durationMs;
  if (before?.state === 'open') return { ...before, since, trials: [...before.trials, line].slice(-SHOWN) };
  const alarms = alarmsOf(memory, settings);
  const alarm = alarms.find(({ state }) => state === 'open') ?? alarms[0];
  if (alarm === undefined) return null;
  const isSame = before?.cause === alarm.cause && before.state === alarm.state;
  return { ...alarm, since: isSame ? before.since : since, trials: [] };
}

/** Every alarm that holds; the first one explains best. */
function alarmsOf({ blocks, bad, worst, decline }: Memory, settings: Settings): readonly Alarm[] {
  return [
    ...(blocks.length > 1 ? [alarmFrom('blocked-twice', 'open', blocks)] : []),
    ...whenReached('no-progress', bad, settings.noProgress),
    ...whenReached('same-error', worst?.lines ?? [], settings.sameError),
    ...(decline === null ? [] : [alarmFrom('output-decline', 'half-open', [decline])]),
  ];
}

function whenReached(cause: Alarm['cause'], lines: readonly LedgerIteration[], threshold: number): readonly Alarm[] {
  if (lines.length === 0 || lines.length < threshold - 1) return [];
  return [alarmFrom(cause, lines.length >= threshold ? 'open' : 'half-open', lines)];
}

function alarmFrom(cause: Alarm['cause'], state: Alarm['state'], lines: readonly LedgerIteration[]): Alarm {
  return { cause, state, lines: lines.slice(-SHOWN), times: lines.length };
}

function described({ raised, bad, worst }: Memory): Breaker {
  const sameError = worst === null ? null : { error: worst.error, times: worst.lines.length };
  const counts = { badInRow: bad.length, sameError };
  if (raised === null) {
    return { state: 'closed', cause: null, reason: '', evidence: [], mend: [], since: null, ...counts };
  }
  const { state, cause, since, trials } = raised;
  const lines = [...raised.lines, ...trials].slice(-SHOWN);
  const reason = reasonOf(raised);
  return {
    state,
    cause,
    reason: trials.length === 0 ? reason : `${reason}; what was tried after the cool-down failed too`,
    evidence: evidenceOf(lines),
    mend: mendOf(cause, state, lines),
    since,
    ...counts,
  };
}
