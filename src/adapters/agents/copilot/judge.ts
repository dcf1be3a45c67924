import type { AgentError, AgentErrorKind, ProviderLimit } from '../../../contracts/agent.ts';
import { EMPTY_ANSWER, type Exit, endWithoutResult, failure, kindOfStatus, limitOfStatus } from '../failures.ts';
import { asNumber, asText, type Wire } from '../json-lines.ts';

/** What is known when the process has ended. */
export interface Ending {
  readonly exit: Exit;
  /** The `result` object, null when none came. */
  readonly result: Wire | null;
  /** The model's last message. */
  readonly answer: string;
  /** The data of the last `session.error`. */
  readonly problem: Wire | null;
  /** How the last request to the model ended in the end: `success`, `http_429`, `transport_error`… */
  readonly request: string | null;
}

/** `errorType` of a session error; `query` and types of later versions are told apart by their HTTP status. */
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

/** The limit that a session error tells of, null when it is about something else. */
export function limitOf(problem: Wire): ProviderLimit | null {
  if (kindOfProblem(problem) !== 'limit') return null;
  const byType = problem['errorType'] === 'quota' ? 'quota' : null;
  const byStatus = limitOfStatus(asNumber(problem['statusCode']) ?? 429);
  return { ...byStatus, kind: asText(problem['errorCode']) ?? byType ?? byStatus.kind };
}
