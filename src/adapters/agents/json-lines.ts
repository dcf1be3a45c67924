import type { AgentEvent } from '../../contracts/agent.ts';

/** An object as it came off the wire: nothing about its fields is known yet. */
export type Wire = Readonly<Record<string, unknown>>;

/** Unreadable lines that get a notice of their own; a process that prints noise must not fill the event log with it. */
const MAX_NOTICES = 3;
const EXCERPT = 120;

export interface JsonLines {
  /** The object on this line, or null when there is none; `complain` gets the notice, if it is worth one. */
  read(line: string, complain: (notice: AgentEvent) => void): Wire | null;
}

/** Reads a stream of one JSON object a line, tolerantly: noise becomes a few notices, never an error. */
export function jsonLines(): JsonLines {
  let unreadable = 0;
  return {
    read(line, complain) {
      const value = parse(line);
      if (value) return value;
      unreadable += 1;
      if (unreadable <= MAX_NOTICES)
        complain({ type: 'notice', text: `unreadable line of output: ${line.slice(0, EXCERPT)}` });
      if (unreadable === MAX_NOTICES + 1)
        complain({ type: 'notice', text: 'more unreadable lines of output; not shown' });
      return null;
    },
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
