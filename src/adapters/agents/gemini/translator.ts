import {
  type AgentError,
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
  kindOfStatus,
  limitOfStatus,
  resultOf,
} from '../failures.ts';
import {
  asArray,
  asNumber,
  asObject,
  asText,
  objectIn,
  toolCall,
  toolResult,
  translatorOf,
  type Wire,
} from '../json-lines.ts';
import type { Translator } from '../port.ts';

/** What has been read so far from one process's stream. */
interface Session {
  sessionId: string | null;
  /** Pieces of the message that the model is writing. */
  writing: string;
  lastText: string;
  /** The text after its last tool call. */
  answer: string;
  complaint: string | null;
  result: Wire | null;
}

/** Reads the client's stream-json. A message arrives in pieces; they become one text event when other events follow. */
export function geminiTranslator(): Translator {
  return translatorOf<Session>(
    {
      sessionId: null,
      writing: '',
      lastText: '',
      answer: '',
      complaint: null,
      result: null,
    },
    translate,
    conclude,
  );
}

function translate(session: Session, wire: Wire): readonly AgentEvent[] {
  switch (wire['type']) {
    case 'init': {
      session.sessionId = asText(wire['session_id']);
      return [{ type: 'session', sessionId: session.sessionId ?? '', model: asText(wire['model']), version: null }];
    }
    case 'message':
      // The prompt is echoed as the user's message.
      if (wire['role'] === 'assistant') session.writing += asText(wire['content']) ?? '';
      return [];
    case 'tool_use':
      return [...written(session, ''), toolCall(wire['tool_id'], wire['tool_name'], wire['parameters'])];
    case 'tool_result': {
      const content = wire['output'] ?? asObject(wire['error'])?.['message'];
      return [...written(session), toolResult(wire['tool_id'], wire['status'] === 'success', content)];
    }
    case 'error':
      session.complaint = asText(wire['message']) ?? session.complaint;
      return [...written(session), { type: 'notice', text: session.complaint ?? 'an error without a message' }];
    case 'result':
      session.result = wire;
      return [...written(session), { type: 'usage', usage: usageOf(asObject(wire['stats'])), contextTokens: null }];
    default:
      return [];
  }
}

/** The message that is now complete. @param answer what counts as the answer then, when it is not this message */
function written(session: Session, answer?: string): readonly AgentEvent[] {
  const text = session.writing;
  session.writing = '';
  const isEmpty = text.trim() === '';
  session.answer = answer ?? (isEmpty ? session.answer : text);
  if (isEmpty) return [];
  session.lastText = text;
  return [{ type: 'text', text }];
}

function conclude(session: Session, exit: Exit): AgentResult {
  written(session);
  const { lastText: text, sessionId, result } = session;
  const { error, status } = judge({ exit, ...session });
  const limit = error?.kind === 'limit' && status !== null ? limitOfStatus(status) : null;
  return resultOf(exit, error, { text, sessionId, limit, usage: usageOf(asObject(result?.['stats'])) });
}

/**
 * The `stats` of a result. `input_tokens` includes tokens from the cache, and `output_tokens` leaves out the thinking,
 * which is billed as output: the total includes both.
 */
function usageOf(stats: Wire | null): Usage {
  if (!stats) return NO_USAGE;
  const count = (field: string) => Math.max(0, asNumber(stats[field]) ?? 0);
  const input = count('input_tokens');
  const cached = Math.min(count('cached'), input);
  return {
    inputTokens: input - cached,
    outputTokens: Math.max(count('output_tokens'), count('total_tokens') - input),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
  };
}

/** The facts known once the process has ended. */
type Ending = { readonly exit: Exit } & Readonly<Pick<Session, 'result' | 'answer' | 'complaint'>>;

interface Judgement {
  readonly error: AgentError | null;
  /** The HTTP status behind the error, where there was one. */
  readonly status: number | null;
}

/** The client's own exit codes (`Fatal…Error` in its sources). */
const OWN_CODES: Readonly<Record<number, AgentErrorKind>> = { 41: 'auth', 53: 'exhausted' };

const STATUSES = [400, 401, 402, 403, 404, 408, 409, 413, 429, 499, 500, 502, 503, 504, 529];
/** The client exits with the HTTP status of a failed request, of which the system keeps the lowest byte. */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map(STATUSES.map((status) => [status % 256, status]));

/** The provider's own error inside the client's message: `[API Error: {"error":{"code":401,…}}]`. */
const PROVIDER_ERROR = /^\[API Error: (\{.*\})\]/s;
/** The exact message of its API library when no server answered with a status. */
const NO_CONNECTION = '[API Error: exception TypeError: fetch failed sending request]';
/** The class of the error that ended the turn, as the client's report on standard error names it. */
const ERROR_CLASS = /^Error when talking to Gemini API Full report available at: .*\.json (\w+):/m;

/** Judges an ending by exit code, `status` and a non-empty answer together; no text of the model is read. */
export function judge(ending: Ending): Judgement {
  const { exit, result, answer } = ending;
  if (!result) return { error: withoutResult(exit), status: null };
  const error = asObject(result['error']);
  if (exit.exitCode === 0 && result['status'] === 'success') {
    return { error: answer.trim() === '' ? EMPTY_ANSWER : null, status: null };
  }
  const message =
    asText(error?.['message']) ?? ending.complaint ?? `the agent ended with ${exit.exitCode ?? exit.signal}`;
  // A result without an error: the model said nothing usable, and the client's retries did not help.
  if (!error && exit.exitCode === 0)
    return { error: failure(answer.trim() === '' ? 'empty' : 'api', message), status: null };
  const provided = providerError(message);
  const status = STATUS_OF_CODE.get(exit.exitCode ?? 0) ?? asNumber(provided?.['code']);
  const kind = message === NO_CONNECTION ? 'network' : kindOf(exit, status, provided);
  return { error: failure(kind, message), status };
}

function withoutResult(exit: Exit): AgentError {
  const error = endWithoutResult(exit);
  return { ...error, kind: OWN_CODES[exit.exitCode ?? 0] ?? error.kind };
}

function kindOf(exit: Exit, status: number | null, provided: Wire | null): AgentErrorKind {
  if (exit.signal !== null) return 'crash';
  const own = OWN_CODES[exit.exitCode ?? 0];
  if (own) return own;
  if (isBadKey(provided)) return 'auth';
  if (status !== null) return kindOfStatus(status);
  return ERROR_CLASS.exec(exit.stderr)?.[1] === 'ModelNotFoundError' ? 'model' : 'api';
}

/** This provider answers a wrong key with "bad request" (400). */
function isBadKey(provided: Wire | null): boolean {
  return asArray(provided?.['details']).some((detail) => asObject(detail)?.['reason'] === 'API_KEY_INVALID');
}

function providerError(message: string): Wire | null {
  return asObject(objectIn(PROVIDER_ERROR.exec(message)?.[1] ?? '')?.['error']);
}
