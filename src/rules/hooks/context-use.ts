import type { HookContext, HookEvent } from './api.ts';
import { windowOfModel } from './model-windows.ts';

/** How full the model's context is. */
export interface ContextUse {
  readonly tokens: number;
  readonly window: number;
  /** Whole per cent, rounded down; over 100 when the window is larger than we think. */
  readonly percent: number;
}

/** The last record of use lies behind at most one tool result: first a short look, then a long one. */
const TAILS_BYTES: readonly number[] = [256 * 1024, 8 * 1024 * 1024];
const DIVISOR = { least: 3, usual: 4, most: 6 };

/** From the transcript's last record of use, else from its size; null when there is no transcript. */
export function contextUse({ transcript }: HookEvent, { paths, window: known }: HookContext): ContextUse | null {
  const size = transcript === '' ? null : paths.sizeOf(transcript);
  if (size === null) return null;
  const record = readRecord(transcript, size, paths.readTail);
  const tokens = record.tokens ?? Math.round(size / divisorOf(known.divisor));
  const window = known.env ?? ownNumber(known.seen, record.model) ?? windowOfModel(record.model);
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

/** The last row that tells the use; after a compaction the boundary's own figure, of the model before it. */
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

/** Rows of subagents and those the client made up itself say nothing about this context. */
function parseRow(line: string): UseRecord {
  const none: UseRecord = { tokens: null, model: '' };
  const row = parseObject(line);
  if (row['type'] === 'system' && row['subtype'] === 'compact_boundary') {
    return { ...none, tokens: numberOrNull(objectOf(row['compactMetadata'])['postTokens']) };
  }
  const message = objectOf(row['message']);
  const { model } = message;
  if (row['type'] !== 'assistant' || row['isSidechain'] === true || typeof model !== 'string') return none;
  return model === '<synthetic>' ? none : { tokens: tokensOf(objectOf(message['usage'])), model };
}

const USAGE_FIELDS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];

function tokensOf(usage: Readonly<Record<string, unknown>>): number | null {
  const sum = USAGE_FIELDS.reduce((total, field) => total + (numberOrNull(usage[field]) ?? 0), 0);
  return sum > 0 ? sum : null;
}

function divisorOf(chosen: number = DIVISOR.usual): number {
  return Math.min(DIVISOR.most, Math.max(DIVISOR.least, chosen));
}

function ownNumber(record: Readonly<Record<string, number>>, key: string): number | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
