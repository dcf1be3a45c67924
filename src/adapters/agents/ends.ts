import {
  type AgentError,
  type AgentErrorKind,
  type AgentResult,
  NO_USAGE,
  type ProviderLimit,
} from '../../contracts/index.ts';
import type { Translator } from './port.ts';

export type Exit = Parameters<Translator['end']>[0];

/** What a process came to, besides how it ended; the session has what is left out. */
export type Ended = Partial<AgentResult> & Pick<AgentResult, 'error'>;

export function resultOf({ exitCode, signal }: Pick<Exit, 'exitCode' | 'signal'>, ended: Ended): AgentResult {
  const nothing = { text: '', usage: NO_USAGE, costUsd: null, turns: null, sessionId: null, limit: null };
  return { ...nothing, ...ended, exitCode, signal, ok: ended.error === null };
}

const MAX_MESSAGE = 500;

/** An end with exit 0 and no answer. */
export const EMPTY_ANSWER: AgentError = { kind: 'empty', message: 'the agent ended without saying anything' };

export function failure(kind: AgentErrorKind, message: string): AgentError {
  return { kind, message: message.trim().slice(0, MAX_MESSAGE) };
}

/** The error of an end about which the stream reported none. */
export function errorOfEnd(exit: Exit, answer: string): AgentError | null {
  return exit.exitCode === 0 && answer.trim() !== '' ? null : endWithoutResult(exit);
}

/** A line such as `TypeError: x is not a function`: the reason, where a stack trace or a version comes after it. */
const NAMES_ERROR = /^(?:Uncaught )?[\w.]*(?:Error|Exception)\b[^:]*: \S/;

/** An end before there was a result, on one line with the line of standard error that says why, or its last. */
export function endWithoutResult({ exitCode, signal, stderr }: Exit): AgentError {
  if (exitCode === 0) return EMPTY_ANSWER;
  const end = signal ? `was ended by ${signal}` : `exited with ${exitCode}`;
  const last = stderr.split('\n').findLast((line) => NAMES_ERROR.test(line)) ?? lastLine(stderr);
  return failure('crash', `the agent ${end} before it gave a result${last === '' ? '' : `: ${last}`}`);
}

/** The last line of a text, without empty lines at its end. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

/** The failure behind an HTTP status of the provider. */
export function failureOfStatus(status: number, message: string): Ended {
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
  return limitNamed(status === 529 ? 'overloaded' : 'rate_limit');
}

export function limitNamed(kind: string): ProviderLimit {
  return { status: 'rejected', kind, resetsAt: null };
}
