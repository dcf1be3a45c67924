import type { AgentError, AgentErrorKind, ProviderLimit } from '../../../contracts/agent.ts';
import { EMPTY_ANSWER, type Exit, endWithoutResult, failure, kindOfStatus, limitOfStatus } from '../failures.ts';
import { asNumber, asObject, asText, type Wire } from '../json-lines.ts';

/** What is known when the process has ended. */
export interface Ending {
  readonly exit: Exit;
  /** The last `error` event, null when none came. */
  readonly failed: Wire | null;
  /** The wait that our plugin ended the client for. */
  readonly wait: ProviderLimit | null;
  /** Whether the model ended its last step by itself. */
  readonly stopped: boolean;
  readonly text: string;
}

export interface Judgement {
  readonly error: AgentError | null;
  readonly limit: ProviderLimit | null;
}

/** The client's own error names. */
const NAMES: Readonly<Record<string, AgentErrorKind>> = {
  ProviderAuthError: 'auth',
  ProviderModelNotFoundError: 'model',
  ModelNotFoundError: 'model',
  ProviderInitError: 'auth',
  MessageAbortedError: 'crash',
};

/** Codes and types that providers put into the body of a refusal, where they are more exact than its status. */
const PROVIDER_CODES: Readonly<Record<string, AgentErrorKind>> = {
  insufficient_quota: 'auth',
  billing_error: 'auth',
  invalid_api_key: 'auth',
  model_not_found: 'model',
  overloaded_error: 'limit',
};

/** Judges by exit code, error event, the end of the last step and a non-empty answer together; no text is searched. */
export function judge({ exit, failed, wait, stopped, text }: Ending): Judgement {
  if (exit.signal !== null) return { error: endWithoutResult(exit), limit: null };
  if (wait) return { error: failure('limit', 'the provider told the agent to wait'), limit: wait };
  if (failed) return judgeFailure(asObject(failed['error']) ?? {}, asNumber(failed['timestamp']), exit);
  if (exit.exitCode !== 0) return { error: endWithoutResult(exit), limit: null };
  if (text.trim() === '') return { error: EMPTY_ANSWER, limit: null };
  return {
    error: stopped ? null : failure('crash', 'the agent ended in the middle of a step'),
    limit: null,
  };
}

function judgeFailure(error: Wire, at: number | null, exit: Exit): Judgement {
  const data = asObject(error['data']) ?? {};
  const status = asNumber(data['statusCode']);
  // What the client calls unknown has a name in its log.
  const logged = loggedError(asText(data['ref']), exit.stderr);
  const name = logged?.name ?? asText(error['name']) ?? 'an unnamed error';
  const kind = kindOf(name, data, status);
  return {
    error: failure(kind, logged?.message ?? asText(data['message']) ?? name),
    // Only an overload comes without a status: in the middle of an answer that had begun well.
    limit: kind === 'limit' ? { ...limitOfStatus(status ?? 529), resetsAt: resetOf(data, at) } : null,
  };
}

function kindOf(name: string, data: Wire, status: number | null): AgentErrorKind {
  const named = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (named) return named;
  if (name !== 'APIError') return 'api';
  const code = providerCode(data) ?? '';
  const coded = Object.hasOwn(PROVIDER_CODES, code) ? PROVIDER_CODES[code] : undefined;
  if (coded) return coded;
  if (status !== null) return kindOfStatus(status);
  // No answer at all, so there is no status: the connection failed.
  return data['isRetryable'] === true ? 'network' : 'api';
}

/** The error behind a `ref`, as the log has it: `… ref=err_12 error="ProviderModelNotFoundError: Model not found: …"`. */
function loggedError(ref: string | null, stderr: string): { name: string; message: string } | null {
  const line = ref === null ? undefined : stderr.split('\n').find((entry) => entry.includes(` ref=${ref} `));
  const [, name, message] = /\berror="(\w+): ((?:[^"\\]|\\.)*)"/.exec(line ?? '') ?? [];
  return name === undefined || message === undefined ? null : { name, message };
}

/** `error.code`, else `error.type`, of the provider's own JSON. */
function providerCode(data: Wire): string | null {
  const body = asText(data['responseBody']);
  if (body === null) return null;
  try {
    const error = asObject(asObject(JSON.parse(body))?.['error']);
    return asText(error?.['code']) ?? asText(error?.['type']);
  } catch {
    return null;
  }
}

/** When the provider wants to be asked again, epoch milliseconds: `retry-after` in seconds or as a date. */
function resetOf(data: Wire, at: number | null): number | null {
  const after = asText(asObject(data['responseHeaders'])?.['retry-after']);
  if (after === null) return null;
  const date = Date.parse(after);
  if (/^\d+(\.\d+)?$/.test(after.trim())) return at === null ? null : Math.ceil(at + Number(after) * 1000);
  return Number.isNaN(date) ? null : date;
}
