import { fieldsOf, jsonValue, ownValue } from '../../contracts/index.ts';
import type { HookContext, HookEvent } from './api.ts';
import { eventEffect, NOTHING, type Step } from './steps.ts';

/** Ascending. */
const THRESHOLDS = [
  { percent: 50, level: 'notice' },
  { percent: 60, level: 'notice' },
  { percent: 70, level: 'warning' },
  { percent: 80, level: 'warning' },
  { percent: 90, level: 'critical' },
] as const;

const ADVICE = {
  notice: {
    inRun: 'Plan to finish this story within what is left, and read no more than it needs.',
    interactive: 'Plan to finish the task at hand within what is left.',
  },
  warning: {
    inRun:
      'Finish what you are doing. Add what remains as stories, and note in the progress log what the next iteration must know.',
    interactive: 'Finish what you are doing, write down what the next session must know, and commit.',
  },
  critical: {
    inRun:
      'Start nothing new: note in the progress log what the next iteration must know, add stories for the rest, commit and stop.',
    interactive: 'Start nothing new: write hand-over notes, commit, and continue in a fresh session.',
  },
} as const;

/** Below this, announced thresholds are armed again: the context was compacted. */
const REARM_BELOW = 50;

/** Tells the agent once per threshold how full its context is. A subagent's own context is not reported to us. */
export const watchContext: Step = (event, context) => {
  const use = event.subagent === '' ? contextUse(event, context) : null;
  if (use === null) return NOTHING;
  const { session } = context;
  if (use.percent < REARM_BELOW) {
    return session.announced.size === 0 ? NOTHING : { session: { ...session, announced: new Set() } };
  }
  const reached = THRESHOLDS.filter(({ percent }) => percent <= use.percent);
  const highest = reached.at(-1);
  if (highest === undefined || session.announced.has(highest.percent)) return NOTHING;
  const { level } = highest;
  const advice = ADVICE[level][context.run === null ? 'interactive' : 'inRun'];
  const size = `${use.percent} % of the context is used (${use.tokens} of ${use.window} tokens).`;
  return {
    answer: { kind: 'context', text: `[ralph: context ${level}] ${size} ${advice}` },
    // Skipped lower thresholds count as announced: they would only repeat the message more mildly.
    session: { ...session, announced: new Set([...session.announced, ...reached.map(({ percent }) => percent)]) },
    effects: [eventEffect({ type: 'context-use', ...use })],
  };
};

interface ContextUse {
  readonly tokens: number;
  readonly window: number;
  /** Whole per cent, rounded down; over 100 when the window is larger than assumed. */
  readonly percent: number;
}

/** At most one tool result follows the last usage record: first a short look, then a long one. */
const TAILS_BYTES: readonly number[] = [256 * 1024, 8 * 1024 * 1024];
/** Bytes of a transcript for each token. */
const USUAL_DIVISOR = 4;

/** From the transcript's last usage record, else from its size; null without a transcript. */
function contextUse({ transcript }: HookEvent, { paths, window: known }: HookContext): ContextUse | null {
  const size = transcript === '' ? null : paths.sizeOf(transcript);
  if (size === null) return null;
  const record = readRecord(transcript, size, paths.readTail);
  const tokens = record.tokens ?? Math.round(size / (known.divisor ?? USUAL_DIVISOR));
  const window = known.env ?? ownValue(known.seen, record.model) ?? windowOfModel(record.model);
  return { tokens, window, percent: Math.floor((100 * tokens) / window) };
}

interface UseRecord {
  readonly tokens: number | null;
  /** Empty when no row named one. */
  readonly model: string;
}

function readRecord(path: string, size: number, readTail: HookContext['paths']['readTail']): UseRecord {
  let record: UseRecord = { tokens: null, model: '' };
  for (const bytes of TAILS_BYTES) {
    record = lastRecord(readTail(path, bytes) ?? '');
    if (record.tokens !== null || size <= bytes) break;
  }
  return record;
}

/** The last row with usage figures; after a compaction the boundary's own figure, with the model named before it. */
function lastRecord(tail: string): UseRecord {
  let tokens: number | null = null;
  for (let end = tail.length; end > 0; ) {
    const start = tail.lastIndexOf('\n', end - 1) + 1;
    const line = tail.slice(start, end);
    end = start - 1;
    // Most rows are neither, and parsing them all would cost more than everything else here.
    if (!line.includes('"usage"') && !line.includes('"compact_boundary"')) continue;
    const row = parseRow(line);
    tokens ??= row.tokens;
    if (row.model !== '' && tokens !== null) return { tokens, model: row.model };
  }
  return { tokens, model: '' };
}

/** Rows of subagents and rows the client made up itself say nothing about this context. */
function parseRow(line: string): UseRecord {
  const none: UseRecord = { tokens: null, model: '' };
  const row = fieldsOf(jsonValue(line));
  if (row['type'] === 'system' && row['subtype'] === 'compact_boundary') {
    return { ...none, tokens: numberOrNull(fieldsOf(row['compactMetadata'])['postTokens']) };
  }
  const message = fieldsOf(row['message']);
  const { model } = message;
  if (row['type'] !== 'assistant' || row['isSidechain'] === true || typeof model !== 'string') return none;
  return model === '<synthetic>' ? none : { tokens: tokensOf(fieldsOf(message['usage'])), model };
}

const USAGE_FIELDS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];

function tokensOf(usage: Readonly<Record<string, unknown>>): number | null {
  const sum = USAGE_FIELDS.reduce((total, field) => total + (numberOrNull(usage[field]) ?? 0), 0);
  return sum > 0 ? sum : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Context windows in tokens by model name; the first match counts. Used until a run has seen the real figure. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/\[1m\]$/, 1_000_000],
  [/^claude-(opus|sonnet)-5/, 1_000_000],
];

const USUAL_WINDOW = 200_000;

/** The window to assume when only the model's name is known. */
function windowOfModel(model: string): number {
  return WINDOWS.find(([pattern]) => pattern.test(model))?.[1] ?? USUAL_WINDOW;
}
