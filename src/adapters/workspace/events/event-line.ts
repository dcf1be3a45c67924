import type { RalphEvent } from '../../../contracts/events.ts';
import { isShowable } from '../../../rules/view/event-shape.ts';

const COMMA = 0x2c;
const BRACE = 0x7d;
const AFTER_ITERATION = bytesOf(',"type":"agent",');
const MOST_DIGITS = 10;

/**
 * Tells, without parsing it, whether a line is an event of an agent, as `openEventLog` writes it: these are nearly all
 * of a long log. What only might be one is not.
 */
export function agentLineTest(run: string): (bytes: Uint8Array, start: number, end: number) => boolean {
  const time = bytesOf('{"ts":"');
  const rest = bytesOf(`","run":${JSON.stringify(run)},"iteration":`);
  const restAt = time.length + '2026-01-01T00:00:00.000Z'.length;
  const digitsAt = restAt + rest.length;
  return (bytes, start, end) => {
    if (bytes[end - 1] !== BRACE || !startsAt(bytes, start + restAt, rest)) return false;
    const comma = bytes.indexOf(COMMA, start + digitsAt);
    return comma > 0 && comma <= start + digitsAt + MOST_DIGITS && startsAt(bytes, comma, AFTER_ITERATION);
  };
}

function startsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Characters. Longer ones nobody could be shown; the whole of a large backlog is far below. */
const LONGEST_EVENT = 16 * 1024 * 1024;

/** The event that a line holds; null when it holds none, or one that no version writes: agents can write there, too. */
export function parseEvent(line: string): RalphEvent | null {
  if (line.length > LONGEST_EVENT) return null;
  const value = parseObject(line);
  return value !== null && isShowable(value) ? value : null;
}

/** The object that a line of JSON holds; null when it holds none. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
