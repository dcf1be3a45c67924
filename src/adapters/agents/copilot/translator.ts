import type { AgentError, AgentErrorKind, AgentEvent, AgentResult, ProviderLimit } from '../../../contracts/index.ts';
import {
  EMPTY_ANSWER,
  type Exit,
  endWithoutResult,
  failure,
  kindOfStatus,
  limitOfStatus,
  resultOf,
} from '../failures.ts';
import { asNumber, asObject, asText, toolCall, toolResult, translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';

/** What has been read so far from one process's stream. */
interface Session {
  model: string | null;
  lastText: string;
  /** The last message, which may be empty. */
  answer: string;
  /** The data of the last `session.error`. */
  problem: Wire | null;
  /** The final outcome of the last request to the model: `success`, `http_429`, `transport_error`… */
  request: string | null;
  retries: number;
  result: Wire | null;
}

/**
 * Reads the client's JSON lines. They report no tokens: this output leaves out the events that hold those of a request.
 */
export function copilotTranslator(): Translator {
  return translatorOf<Session>(
    {
      model: null,
      lastText: '',
      answer: '',
      problem: null,
      request: null,
      retries: 0,
      result: null,
    },
    (session, wire) => translate(session, wire, asObject(wire['data']) ?? {}),
    conclude,
  );
}

function translate(session: Session, wire: Wire, data: Wire): readonly AgentEvent[] {
  switch (wire['type']) {
    case 'session.tools_updated':
      return started(session, asText(data['model']));
    case 'assistant.message':
      return said(session, data);
    case 'tool.execution_start':
      return [toolCall(data['toolCallId'], data['toolName'], data['arguments'])];
    case 'tool.execution_complete':
      return [toolEnded(data)];
    case 'assistant.turn_retry':
      session.retries += 1;
      return [{ type: 'retry', attempt: session.retries, delayMs: null, reason: asText(data['reason']) ?? 'unknown' }];
    case 'model.call_final_result':
      session.request = asText(data['result']);
      return [];
    case 'session.warning':
      return [{ type: 'notice', text: asText(data['message']) ?? 'a warning without a message' }];
    case 'session.error': {
      session.problem = data;
      const limit = limitOf(data);
      return limit ? [{ type: 'limit', limit }] : [];
    }
    case 'result':
      session.result = wire;
      return [];
    default:
      return [];
  }
}

/** The first event that names the model starts the session; its id comes only at the end. */
function started(session: Session, model: string | null): readonly AgentEvent[] {
  if (session.model !== null || model === null) return [];
  session.model = model;
  return [{ type: 'session', sessionId: '', model, version: null }];
}

function said(session: Session, data: Wire): readonly AgentEvent[] {
  const text = asText(data['content']) ?? '';
  const isEmpty = text.trim() === '';
  const isSubagent = asText(data['parentToolCallId']) !== null;
  if (!isSubagent) session.answer = text;
  if (!isSubagent && !isEmpty) session.lastText = text;
  return isEmpty ? [] : [{ type: 'text', text }];
}

/** The client counts a failed command as a success, because it did run. */
function toolEnded(data: Wire): AgentEvent {
  const exitCode = asNumber(asObject(data['shellExecution'])?.['exitCode']) ?? 0;
  const content = asObject(data['result'])?.['content'] ?? asObject(data['error'])?.['message'];
  return toolResult(data['toolCallId'], data['success'] === true && exitCode === 0, content);
}

function conclude(session: Session, exit: Exit): AgentResult {
  const { lastText: text, result, problem } = session;
  const error = judge({ exit, ...session });
  const limit = error?.kind === 'limit' && problem ? limitOf(problem) : null;
  return resultOf(exit, error, { text, sessionId: asText(result?.['sessionId']), limit });
}

/** The facts known once the process has ended. */
type Ending = { readonly exit: Exit } & Readonly<Pick<Session, 'result' | 'answer' | 'problem' | 'request'>>;

/** `errorType` of a session error; `query` and types of later versions are distinguished by their HTTP status. */
const ERROR_TYPES: ReadonlyMap<unknown, AgentErrorKind> = new Map([
  ['authentication', 'auth'],
  ['authorization', 'auth'],
  ['policy', 'auth'],
  ['quota', 'limit'],
  ['rate_limit', 'limit'],
  ['context_limit', 'api'],
]);

/** Judges an ending by both exit codes, the client's error and a non-empty answer together; no text is searched. */
export function judge(ending: Ending): AgentError | null {
  const { exit, result, answer, problem } = ending;
  if (!result || exit.signal !== null) return endWithoutResult(exit);
  if (exit.exitCode === 0 && result['exitCode'] === 0) return answer.trim() === '' ? EMPTY_ANSWER : null;
  if (!problem) return failure('crash', `the agent ended with ${asNumber(result['exitCode']) ?? exit.exitCode}`);
  return failure(kindOf(ending, problem), asText(problem['message']) ?? 'an error without a message');
}

function kindOf({ answer, request }: Ending, problem: Wire): AgentErrorKind {
  const known = kindOfProblem(problem);
  if (known) return known;
  if (request === 'transport_error') return 'network';
  return request === 'success' && answer.trim() === '' ? 'empty' : 'api';
}

function kindOfProblem(problem: Wire): AgentErrorKind | null {
  const named = ERROR_TYPES.get(problem['errorType']);
  if (named) return named;
  const status = asNumber(problem['statusCode']);
  return status === null ? null : kindOfStatus(status);
}

/** The limit that a session error reports; null when it is about something else. */
export function limitOf(problem: Wire): ProviderLimit | null {
  if (kindOfProblem(problem) !== 'limit') return null;
  const byType = problem['errorType'] === 'quota' ? 'quota' : null;
  const byStatus = limitOfStatus(asNumber(problem['statusCode']) ?? 429);
  return { ...byStatus, kind: asText(problem['errorCode']) ?? byType ?? byStatus.kind };
}
