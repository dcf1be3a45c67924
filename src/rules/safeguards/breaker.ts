import type { LedgerIteration, LedgerLine, Mode } from '../../contracts/index.ts';
import { shellWord } from '../text/index.ts';
import type { Breaker, GateInput } from './api.ts';
import { errorOf } from './errors.ts';

type Settings = GateInput['circuit'];

/** Iterations that an alarm names as its evidence. */
const SHOWN = 5;

interface Raised extends Alarm {
  /** Epoch ms of the end of the iteration that raised it. */
  readonly since: number;
  /** The last bad iterations that were tried after a cool-down, oldest first. */
  readonly trials: readonly LedgerIteration[];
}

/** Everything since the last good iteration, or since a person closed the breaker. */
interface Memory {
  /** Consecutive bad iterations; one that blocks its story restarts the count. */
  bad: LedgerIteration[];
  readonly blocks: LedgerIteration[];
  /** Bad iterations by normalised error. */
  readonly errors: Map<string, LedgerIteration[]>;
  /** The error seen most often; the later one if equal. */
  worst: { readonly error: string; readonly lines: readonly LedgerIteration[] } | null;
  /** The last iteration with far less output than usual. */
  decline: LedgerIteration | null;
  raised: Raised | null;
}

/**
 * The circuit breaker after all iterations of the workspace, in any run. Bad iterations in a row, a recurring error, or
 * two stories in a row that ran out of attempts open it; one below a threshold, or far less output, half-opens it; a
 * good one closes it and clears its memory. An iteration that ends while it is open is the trial after a cool-down.
 */
export function breakerOf(ledger: readonly LedgerLine[], settings: Settings): Breaker {
  const start = ledger.findLastIndex(forgets) + 1;
  const memory = nothing();
  const bad = ledger
    .slice(start)
    .filter((line): line is LedgerIteration => line.kind === 'iteration' && line.counts === 'bad');
  if (bad.length === 0) return described(memory);
  // Earlier iterations only show how much output is usual.
  const outputs = usualOutputs(ledger.slice(0, start));
  for (const line of bad) {
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
  // The attempt cap precedes the breaker: an iteration that spends the last attempt is handled by the block.
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

/** Every alarm that applies; the first one is the best explanation. */
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
    return { state: 'closed', cause: null, reason: '', evidence: [], fix: [], since: null, ...counts };
  }
  const { state, cause, since, trials } = raised;
  const lines = [...raised.lines, ...trials].slice(-SHOWN);
  const reason = reasonOf(raised);
  return {
    state,
    cause,
    reason: trials.length === 0 ? reason : `${reason}; the attempt after the cool-down failed, too`,
    evidence: lines.map(
      ({ iteration, story, mode, verdict, reason }) =>
        `iteration ${iteration} (${story}, ${mode}): ${verdict} – ${short(reason)}`,
    ),
    fix: fixOf(cause, state, lines),
    since,
    ...counts,
  };
}

/** A reason for half-open or open. */
interface Alarm {
  readonly cause: NonNullable<Breaker['cause']>;
  readonly state: 'half-open' | 'open';
  /** The last iterations it is based on, oldest first. */
  readonly lines: readonly LedgerIteration[];
  /** How many such iterations there were. */
  readonly times: number;
}

/** Iterations of one mode that an answer is compared with, and the fewest that allow a comparison. */
const WINDOW = 5;
const FEWEST = 3;

/** Characters of the last answers in each mode, oldest first. */
type Outputs = Map<Mode, readonly number[]>;

/** How much agents wrote in the last iterations, good or bad; it starts afresh when a person closes the breaker. */
function usualOutputs(ledger: readonly LedgerLine[]): Outputs {
  const outputs: Outputs = new Map();
  for (const line of ledger) {
    if (line.kind === 'circuit-reset') outputs.clear();
    if (line.kind === 'iteration' && line.counts !== 'ignored') remember(outputs, line);
  }
  return outputs;
}

/** Adds an iteration to the window of its mode, if its output size is known. */
function remember(outputs: Outputs, { mode, outputChars }: LedgerIteration): void {
  if (outputChars === undefined) return;
  outputs.set(mode, [...(outputs.get(mode) ?? []), outputChars].slice(-WINDOW));
}

/** Whether the agent's output is more than `percent` below the mean of the earlier iterations in the same mode. */
function hasDeclined(outputs: Outputs, { mode, outputChars }: LedgerIteration, percent: number): boolean {
  const earlier = outputs.get(mode) ?? [];
  if (outputChars === undefined || earlier.length < FEWEST) return false;
  const sum = earlier.reduce((total, chars) => total + chars, 0);
  // outputChars < mean × (1 - percent / 100), in whole numbers.
  return outputChars * 100 * earlier.length < sum * (100 - percent);
}

/** Characters of an iteration's reason, or of an error, that one line shows. */
const SHORT = 160;

const RESCUES = 'refs/ralph/rescue/';

type Cause = Alarm['cause'];

const REASON: Readonly<Record<Cause, (alarm: Alarm) => string>> = {
  'no-progress': ({ times }) =>
    times === 1 ? 'the last iteration made no progress' : `${times} iterations in a row made no progress`,
  'same-error': ({ times, lines }) =>
    `${times === 1 ? 'an error occurred' : `the same error occurred ${times} times`} since the last good iteration${errorIn(lines)}`,
  'blocked-twice': ({ lines }) => {
    const [story, ...others] = storiesOf(lines);
    const who =
      others.length === 0
        ? `${story} ran out of attempts twice`
        : `${[story, ...others].join(' and ')} ran out of attempts`;
    return `${who}, with no accepted work in between`;
  },
  'output-decline': () => 'the agent writes far less than before, and nothing gets done',
};

/** The setting to raise when it was too strict. */
const SETTING: Readonly<Record<Cause, string>> = {
  'no-progress': '`circuit.noProgress` (CB_NO_PROGRESS_THRESHOLD)',
  'same-error': '`circuit.sameError` (CB_SAME_ERROR_THRESHOLD)',
  'blocked-twice': '`storyMaxAttempts` (`--story-max-attempts`)',
  'output-decline': '`circuit.outputDecline` (CB_OUTPUT_DECLINE_THRESHOLD)',
};

/** The reason in one sentence without a full stop. */
function reasonOf(alarm: Alarm): string {
  return REASON[alarm.cause](alarm);
}

/** What to look at, then how to continue. */
function fixOf(cause: Cause, state: Alarm['state'], lines: readonly LedgerIteration[]): readonly string[] {
  const last = lines.at(-1);
  const rescue = lines.findLast((line) => line.rescue !== null)?.rescue ?? null;
  return [
    ...(last ? [`\`ralph log ${last.iteration} --run ${last.run}\` shows what the last of them did`] : []),
    ...storiesOf(lines)
      .slice(-2)
      .map((story) => `\`ralph stories show ${shellWord(story)}\`: is it clear, and small enough for one iteration?`),
    ...(rescue === null
      ? []
      : [`\`ralph rescue show ${rescue.replace(RESCUES, '')}\` has the work that was rolled back`]),
    state === 'open'
      ? '`ralph circuit reset`, then `ralph run`; or both at once: `ralph run --reset-circuit`'
      : 'no action needed: a good iteration closes the circuit',
    `if it opened too early, raise ${SETTING[cause]}`,
  ];
}

function errorIn(lines: readonly LedgerIteration[]): string {
  const error = lines[0] ? errorOf(lines[0]) : null;
  return error === null ? '' : `: ${short(error)}`;
}

function storiesOf(lines: readonly LedgerIteration[]): readonly string[] {
  return [...new Set(lines.map(({ story }) => story))];
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SHORT ? line : `${line.slice(0, SHORT)}…`;
}
