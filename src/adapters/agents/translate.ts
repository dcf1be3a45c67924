import { type AgentEvent, jsonObject, NO_USAGE, type Usage } from '../../contracts/index.ts';
import { type Ended, type Exit, resultOf } from './ends.ts';
import type { Translator } from './port.ts';
import { asArray, asObject, asText, count, type Wire } from './wire.ts';

/** The events for an object of a stream; none when it only changes the session. */
type Translate<S> = (session: S, wire: Wire) => readonly AgentEvent[] | undefined;

/** Translates each kind of object in its own way, and skips those without one. @param field the one that names the kind */
export function byKind<S>(kinds: Readonly<Record<string, Translate<S>>>, field = 'type'): Translate<S> {
  const known = new Map<unknown, Translate<S>>(Object.entries(kinds));
  return (session, wire) => known.get(wire[field])?.(session, wire);
}

/** What every stream tells, as far as it has been read. */
export interface Session {
  sessionId: string | null;
  /** The last text of the agent that was not empty. */
  lastText: string;
  usage: Usage;
}

/** Unreadable lines that get their own notice; a process that prints noise must not fill the event log with it. */
const MAX_NOTICES = 3;
const EXCERPT = 120;

/**
 * A translator of a stream with one JSON object per line. Tolerant: unknown objects are skipped, keys may come in any
 * order, noise becomes a few notices and never an error.
 */
export function translatorOf<S extends object>(
  own: S,
  translate: Translate<Session & S>,
  conclude: (session: Session & S, exit: Exit) => Ended,
): Translator {
  const session: Session & S = { sessionId: null, lastText: '', usage: NO_USAGE, ...own };
  let unreadable = 0;
  return {
    line(line) {
      // A cheap check first: a flood of noise should not cost an exception per line.
      const wire = line.trimStart().startsWith('{') ? jsonObject(line) : null;
      if (wire) return translate(session, wire) ?? [];
      unreadable += 1;
      if (unreadable > MAX_NOTICES + 1) return [];
      const text =
        unreadable <= MAX_NOTICES
          ? `unreadable line of output: ${line.slice(0, EXCERPT)}`
          : 'more unreadable lines of output not shown';
      return [{ type: 'notice', text }];
    },
    end(exit) {
      const ended = conclude(session, exit);
      const { sessionId, lastText: text, usage } = session;
      return resultOf(exit, { sessionId, text, usage, ...ended });
    },
  };
}

/** The start of a session, which gets this id. */
export function opened(
  session: Session,
  id: unknown,
  model: string | null,
  version: string | null = null,
): readonly AgentEvent[] {
  session.sessionId = asText(id);
  return [{ type: 'session', sessionId: session.sessionId ?? '', model, version }];
}

/** A text of the agent; an empty one is not an event. */
export function said(session: Session, value: unknown): readonly AgentEvent[] {
  const text = asText(value) ?? '';
  if (text.trim() === '') return [];
  session.lastText = text;
  return [{ type: 'text', text }];
}

/** The running total of tokens. */
export function used({ usage }: Session, contextTokens: number | null = null): AgentEvent {
  return { type: 'usage', usage, contextTokens };
}

/** The names of an API for tokens: of input, of output, read from the cache, written to it. */
type TokenNames = readonly [input: string, output: string, read: string, written: string];

const OF_MESSAGES: TokenNames = [
  ...(['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const),
];

/** The tokens in an object; by default one of Anthropic's Messages API. */
export function tokensIn(wire: Wire, [input, output, read, written] = OF_MESSAGES): Usage {
  return {
    inputTokens: count(wire[input]),
    outputTokens: count(wire[output]),
    cacheReadTokens: count(wire[read]),
    cacheWriteTokens: count(wire[written]),
  };
}

export function toolCall(id: unknown, name: unknown, input: unknown): AgentEvent {
  const summary = callSummary(asObject(input) ?? {});
  return { type: 'tool-call', id: asText(id) ?? '', name: asText(name) ?? 'unknown', summary };
}

export function toolResult(id: unknown, ok: boolean, content: unknown): AgentEvent {
  return { type: 'tool-result', id: asText(id) ?? '', ok, summary: resultSummary(content) };
}

/** Characters kept of a call and of its result, with their line breaks: what a person reads in the transcript. */
const MAX_LENGTH = 4_000;

/** The input fields that tell a person most, by the names that tools use. */
const TELLING_FIELDS = [
  ...['command', 'file_path', 'path', 'notebook_path', 'pattern'],
  ...['url', 'query', 'description', 'skill', 'prompt'],
];

/** A file, a command; for unknown tools, the whole input as JSON. */
function callSummary(input: Wire): string {
  const telling = TELLING_FIELDS.map((field) => asText(input[field])).find(Boolean);
  return shortened(telling ?? JSON.stringify(input));
}

/** The text, or the texts of all blocks. */
function resultSummary(content: unknown): string {
  const blocks = asArray(content).map((block) => asText(asObject(block)?.['text']));
  return shortened(asText(content) ?? blocks.filter((block) => block !== null).join('\n'));
}

function shortened(text: string): string {
  const start = text
    .trimStart()
    .slice(0, MAX_LENGTH + 1)
    .trimEnd();
  return start.length > MAX_LENGTH ? `${start.slice(0, MAX_LENGTH - 1)}…` : start;
}
