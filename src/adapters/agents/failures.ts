import {
  type AgentError,
  type AgentErrorKind,
  type AgentResult,
  NO_USAGE,
  type ProviderLimit,
} from '../../contracts/index.ts';
import type { Translator } from './port.ts';

/** How a process ended, as a translator receives it. */
export type Exit = Parameters<Translator['end']>[0];

const MAX_MESSAGE = 500;

/** The result of a process: how it ended, and what else its stream reported. */
export function resultOf(
  { exitCode, signal }: Exit,
  error: AgentError | null,
  told: Partial<AgentResult>,
): AgentResult {
  const ok = error === null;
  const untold = { text: '', usage: NO_USAGE, costUsd: null, turns: null, sessionId: null, limit: null };
  return { ...untold, ...told, exitCode, signal, ok, error };
}

/** An end with exit 0 and no answer. */
export const EMPTY_ANSWER: AgentError = { kind: 'empty', message: 'the agent ended without saying anything' };

/** An end before there was a result, on one line with the last line of standard error. */
export function endWithoutResult({ exitCode, signal, stderr }: Exit): AgentError {
  if (exitCode === 0) return EMPTY_ANSWER;
  const end = signal ? `was ended by ${signal}` : `exited with ${exitCode}`;
  return failure('crash', `the agent ${end} before it gave a result${withColon(lastLine(stderr))}`);
}

/** An error with a message of limited length. */
export function failure(kind: AgentErrorKind, message: string): AgentError {
  return { kind, message: message.trim().slice(0, MAX_MESSAGE) };
}

/** What an ending means to the loop. */
export interface Judgement {
  readonly error: AgentError | null;
  readonly limit: ProviderLimit | null;
}

/** The failure behind an HTTP status of the provider. */
export function failureOfStatus(status: number, message: string): Judgement {
  const kind = kindOfStatus(status);
  return { error: failure(kind, message), limit: kind === 'limit' ? limitOfStatus(status) : null };
}

/** What an HTTP status of the provider means to the loop. */
export function kindOfStatus(status: number): AgentErrorKind {
  if (status === 429 || status === 529) return 'limit';
  if (status >= 500 || status === 408) return 'network';
  if (status === 401 || status === 402 || status === 403) return 'auth';
  return status === 404 ? 'model' : 'api';
}

/** The limit that a status of kind `limit` means; the status does not say when it ends. */
export function limitOfStatus(status: number): ProviderLimit {
  return { status: 'rejected', kind: status === 529 ? 'overloaded' : 'rate_limit', resetsAt: null };
}

/** The last line of a text, without empty lines at its end. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

function withColon(text: string): string {
  return text === '' ? '' : `: ${text}`;
}
