import {
  type AgentErrorKind,
  type AgentEvent,
  type AgentResult,
  NO_USAGE,
  type Usage,
} from '../../../contracts/index.ts';
import {
  EMPTY_ANSWER,
  type Exit,
  endWithoutResult,
  failure,
  failureOfStatus,
  type Judgement,
  resultOf,
} from '../failures.ts';
import { asNumber, asObject, asText, objectIn, toolCall, toolResult, translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';

/** What has been read so far from one process's stream. */
interface Session {
  sessionId: string | null;
  lastText: string;
  /** The message of the last `error` event of the agent's loop. */
  complaint: string | null;
  /** The `completion` object, null when none came. */
  completion: Wire | null;
}

/** Reads the stream-json of `droid exec`. */
export function droidTranslator(): Translator {
  return translatorOf<Session>(
    { sessionId: null, lastText: '', complaint: null, completion: null },
    translate,
    conclude,
  );
}

function translate(session: Session, wire: Wire): readonly AgentEvent[] {
  switch (wire['type']) {
    case 'system':
      if (wire['subtype'] !== 'init') return [];
      session.sessionId = asText(wire['session_id']);
      return [{ type: 'session', sessionId: session.sessionId ?? '', model: asText(wire['model']), version: null }];
    case 'message':
      // The prompt is echoed as the user's message.
      return wire['role'] === 'assistant' ? said(session, asText(wire['text']) ?? '') : [];
    case 'tool_call':
      return [toolCall(wire['id'], wire['toolName'], wire['parameters'])];
    case 'tool_result':
      return [toolResult(wire['id'], wire['isError'] !== true, wire['value'] ?? asObject(wire['error'])?.['message'])];
    case 'error':
      return complained(session, wire);
    case 'completion':
      session.completion = wire;
      return [{ type: 'usage', usage: usageOf(wire), contextTokens: null }];
    default:
      return [];
  }
}

function said(session: Session, text: string): readonly AgentEvent[] {
  if (text.trim() === '') return [];
  session.lastText = text;
  return [{ type: 'text', text }];
}

/** The agent's loop says what went wrong; the command line reports only that something did. */
function complained(session: Session, wire: Wire): readonly AgentEvent[] {
  const message = asText(wire['message']) ?? 'an error without a message';
  if (wire['source'] === 'cli' && session.complaint !== null) return [];
  session.complaint = message;
  return [{ type: 'notice', text: message }];
}

function usageOf(completion: Wire | null): Usage {
  const usage = asObject(completion?.['usage']);
  if (!usage) return NO_USAGE;
  const count = (field: string) => Math.max(0, asNumber(usage[field]) ?? 0);
  return {
    inputTokens: count('input_tokens'),
    outputTokens: count('output_tokens'),
    cacheReadTokens: count('cache_read_input_tokens'),
    cacheWriteTokens: count('cache_creation_input_tokens'),
  };
}

function conclude(session: Session, exit: Exit): AgentResult {
  const { completion, sessionId } = session;
  const { error, limit } = judge(session, exit);
  const text = asText(completion?.['finalText']) ?? session.lastText;
  return resultOf(exit, error, {
    ...{ text, sessionId, limit },
    usage: usageOf(completion),
    turns: asNumber(completion?.['numTurns']),
  });
}

/** The provider's whole answer, as the client's API library formats it: `429 {"type":"error",…}`. */
const PROVIDER_ERROR = /^(\d{3}) (\{.*\})$/s;

/** The client's exact messages in cases where it does not report the status. */
const CONSTANT_MESSAGES: ReadonlyMap<string, AgentErrorKind> = new Map([
  ['Connection error.', 'network'],
  ['Request timed out.', 'network'],
  ['Requested model was not found on the API provider', 'model'],
]);

/** Judges an ending by exit code, `completion` and the client's errors together; no text of the model is read. */
function judge({ completion, complaint }: Session, exit: Exit): Judgement {
  if (complaint !== null && (exit.exitCode !== 0 || !completion)) return failed(exit, complaint);
  if (!completion || exit.exitCode !== 0) return { error: endWithoutResult(exit), limit: null };
  const said = asText(completion['finalText']) ?? '';
  return { error: said.trim() === '' ? EMPTY_ANSWER : null, limit: null };
}

function failed(exit: Exit, complaint: string): Judgement {
  if (exit.signal !== null) return { error: endWithoutResult(exit), limit: null };
  const [, status, body = ''] = PROVIDER_ERROR.exec(complaint) ?? [];
  if (status !== undefined && objectIn(body) !== null) return failureOfStatus(Number(status), complaint);
  return { error: failure(CONSTANT_MESSAGES.get(complaint) ?? 'api', complaint), limit: null };
}
