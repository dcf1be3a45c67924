import type { AgentEvent } from '../../contracts/index.ts';
import type { Translator } from './port.ts';

/** A parsed JSON object; nothing about its fields is known yet. */
export type Wire = Readonly<Record<string, unknown>>;

/** Unreadable lines that get their own notice; a process that prints noise must not fill the event log with it. */
const MAX_NOTICES = 3;
const EXCERPT = 120;

/**
 * A translator of a stream with one JSON object per line. Tolerant: noise becomes a few notices, never an error.
 * @param translate the events for one object; it also updates the session
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
  // A cheap check first: a flood of noise should not cost an exception per line.
  return line.trimStart().startsWith('{') ? objectIn(line) : null;
}

/** The JSON object in a text; null for any other text. */
export function objectIn(text: string): Wire | null {
  try {
    return asObject(JSON.parse(text));
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

export function toolCall(id: unknown, name: unknown, input: unknown): AgentEvent {
  const summary = callSummary(asObject(input) ?? {});
  return { type: 'tool-call', id: asText(id) ?? '', name: asText(name) ?? 'unknown', summary };
}

export function toolResult(id: unknown, ok: boolean, content: unknown): AgentEvent {
  return { type: 'tool-result', id: asText(id) ?? '', ok, summary: resultSummary(content) };
}

const MAX_LENGTH = 160;

/** The input fields that tell a person most, by the names that tools use. */
const TELLING_FIELDS = [
  'command',
  'file_path',
  'path',
  'notebook_path',
  'pattern',
  'url',
  'query',
  'description',
  'skill',
  'prompt',
];

/** One line about a tool call: a file, a command; for unknown tools, the whole input as JSON. */
export function callSummary(input: Wire): string {
  for (const field of TELLING_FIELDS) {
    const value = asText(input[field]);
    if (value) return oneLine(value);
  }
  return oneLine(JSON.stringify(input));
}

/** One line about a tool's result: text, or the first text among its blocks. */
export function resultSummary(content: unknown): string {
  const text = asText(content);
  if (text !== null) return oneLine(text);
  const blocks = asArray(content).map((block) => asText(asObject(block)?.['text']));
  return oneLine(blocks.find((block) => block !== null) ?? '');
}

function oneLine(text: string): string {
  const line = text
    .slice(0, MAX_LENGTH * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
