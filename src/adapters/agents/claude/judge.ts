import type { AgentError, AgentErrorKind, ProviderLimit } from '../../../contracts/index.ts';
import { EMPTY_ANSWER, type Ended, type Exit, endWithoutResult, kindOfStatus, lastLine, limitNamed } from '../ends.ts';
import { asArray, asNumber, asText, type Wire } from '../wire.ts';

interface Ending extends Exit {
  /** The last `result` object, null when none came. */
  readonly result: Wire | null;
  /** `error` of the last synthetic assistant message, e.g. `rate_limit`. */
  readonly apiError: string | null;
  /** The last rejection of a `rate_limit_event`. */
  readonly rejected: ProviderLimit | null;
}

/** Error names of synthetic messages, and what they mean to the loop. */
const API_ERRORS: Readonly<Record<string, AgentErrorKind>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  billing_error: 'auth',
  model_not_found: 'model',
  rate_limit: 'limit',
  overloaded: 'limit',
  server_error: 'network',
  invalid_request: 'api',
};

/** Result subtypes and terminal reasons that mean "the agent's turns, budget or the like are used up". */
const EXHAUSTED = new Set(['error_max_turns', 'error_max_budget_usd', 'max_turns', 'budget_exhausted']);

/**
 * Judges an ending by exit code, `is_error`, `terminal_reason` and a non-empty result together: each of them alone says
 * "success" for some failure (an API error has subtype `success`, an interrupt and an empty answer exit with 0). Only
 * structured fields are read; the text of an answer never makes it a limit or an error.
 */
export function judge(ending: Ending): Ended {
  const { result, rejected } = ending;
  if (!result) return { error: withoutResult(ending), limit: rejected };
  const reason = asText(result['terminal_reason']) ?? 'completed';
  const isError = result['is_error'] === true;
  const text = asText(result['result']) ?? '';
  if (!isError && ending.exitCode === 0 && reason === 'completed')
    return { error: text.trim() === '' ? EMPTY_ANSWER : null, limit: null };
  const kind = failureKind(ending, result, reason, isError);
  const limit = kind === 'limit' ? (rejected ?? limitFromStatus(ending, result)) : null;
  return { error: { kind, message: failureMessage(ending, result, reason, text) }, limit };
}

/** No `result`: the process did not get that far (not found, refused to start, crashed, killed), or said nothing. */
function withoutResult(ending: Ending): AgentError {
  if (ending.exitCode === 0) return { kind: 'empty', message: 'the agent ended without a result' };
  return { ...endWithoutResult(ending), kind: ending.rejected ? 'limit' : 'crash' };
}

function failureKind(ending: Ending, result: Wire, reason: string, isError: boolean): AgentErrorKind {
  if (EXHAUSTED.has(asText(result['subtype']) ?? '') || EXHAUSTED.has(reason)) return 'exhausted';
  // Something other than the API ended it: an interrupt, a hook, a broken setup.
  if (reason !== 'api_error' && reason !== 'completed') return reason === 'prompt_too_long' ? 'api' : 'crash';
  if (!isError) return 'crash';
  if (ending.rejected) return 'limit';
  const named = API_ERRORS[ending.apiError ?? ''];
  const status = asNumber(result['api_error_status']);
  // A status is more precise than a name: 529 also arrives as `server_error`.
  if (status !== null) return kindOf(status, named);
  // The request had no answer at all, so the connection failed; any other failure would have had a name.
  return named ?? (reason === 'api_error' ? 'network' : 'crash');
}

/** A name is more precise than a status of the request itself, such as 400. */
function kindOf(status: number, named: AgentErrorKind | undefined): AgentErrorKind {
  const kind = kindOfStatus(status);
  return kind === 'limit' || kind === 'network' ? kind : (named ?? kind);
}

function limitFromStatus({ apiError }: Ending, result: Wire): ProviderLimit {
  return limitNamed(result['api_error_status'] === 529 || apiError === 'overloaded' ? 'overloaded' : 'rate_limit');
}

function failureMessage(ending: Ending, result: Wire, reason: string, text: string): string {
  const errors = asArray(result['errors']).filter((error): error is string => typeof error === 'string');
  const said = text.trim() || errors.join('; ') || lastLine(ending.stderr);
  const how = reason === 'completed' || reason === 'api_error' ? '' : `${reason}: `;
  return `${how}${said || `exit ${ending.exitCode ?? ending.signal}`}`.slice(0, 500);
}
