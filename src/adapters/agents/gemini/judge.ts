import type { AgentError, AgentErrorKind } from '../../../contracts/agent.ts';
import { EMPTY_ANSWER, type Exit, endWithoutResult, failure, kindOfStatus } from '../failures.ts';
import { asArray, asNumber, asObject, asText, type Wire } from '../json-lines.ts';

/** What is known when the process has ended. */
export interface Ending {
  readonly exit: Exit;
  /** The `result` object, null when none came. */
  readonly result: Wire | null;
  /** What the model said after its last tool call. */
  readonly answer: string;
  /** The message of the last `error` event. */
  readonly complaint: string | null;
}

export interface Judgement {
  readonly error: AgentError | null;
  /** The HTTP status behind the error, where there was one. */
  readonly status: number | null;
}

/** The client's own exit codes (`Fatal…Error` in its sources). */
const OWN_CODES: Readonly<Record<number, AgentErrorKind>> = { 41: 'auth', 53: 'exhausted' };

const STATUSES = [400, 401, 402, 403, 404, 408, 409, 413, 429, 499, 500, 502, 503, 504, 529];
/** It exits with the HTTP status of a failed request, of which the system keeps the lowest byte. */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map(STATUSES.map((status) => [status % 256, status]));

/** The provider's own error inside the client's message: `[API Error: {"error":{"code":401,…}}]`. */
const PROVIDER_ERROR = /^\[API Error: (\{.*\})\]/s;
/** What its API library says, word for word, when there was nobody to give a status. */
const NO_CONNECTION = '[API Error: exception TypeError: fetch failed sending request]';
/** The class of the error that ended the turn, which the client's report on standard error names. */
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
  // A result without an error of its own: the model said nothing usable, and the client's retries did not help.
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

/** A wrong key is a "bad request" (400) to this provider. */
function isBadKey(provided: Wire | null): boolean {
  return asArray(provided?.['details']).some((detail) => asObject(detail)?.['reason'] === 'API_KEY_INVALID');
}

function providerError(message: string): Wire | null {
  const json = PROVIDER_ERROR.exec(message)?.[1];
  if (json === undefined) return null;
  try {
    return asObject(asObject(JSON.parse(json))?.['error']);
  } catch {
    return null;
  }
}
