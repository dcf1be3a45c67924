import type { AgentEvent } from '../../contracts/agent.ts';
import type { Translator } from './port.ts';

/** An object as it came off the wire: nothing about its fields is known yet. */
export type Wire = Readonly<Record<string, unknown>>;

/** Unreadable lines that get a notice of their own; a process that prints noise must not fill the event log with it. */
const MAX_NOTICES = 3;
const EXCERPT = 120;

/**
 * A translator of a stream with one JSON object a line. Tolerant: noise becomes a few notices, never an error.
 * @param translate what an object tells, and what it does to the session
 */
export function translatorOf<S>(
  session: S,
  translate: (session: S, wire: Wire) => readonly AgentEvent[],
  conclude: (session: S, exit: Parameters<Translator['end']>[0]) => ReturnType<Translator['end']>,
): Translator {
  let unreadable = 0;
  return {
    line(line) {
      const wire = parse(line);
      if (wire) return translate(session, wire);
      unreadable += 1;
      if (unreadable > MAX_NOTICES + 1) return [];
      const text =
        unreadable <= MAX_NOTICES
          ? `unreadable line of output: ${line.slice(0, EXCERPT)}`
          : 'more unreadable lines of output; not shown';
      return [{ type: 'notice', text }];
    },
    end: (exit) => conclude(session, exit),
  };
}

function parse(line: string): Wire | null {
  // Cheap refusal: a flood of noise should not cost an exception each.
  if (!line.trimStart().startsWith('{')) return null;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return null;
  }
}

export function asObject(value: unknown): Wire | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Wire) : null;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
