import type { AgentError, AgentErrorKind } from '../../../contracts/agent.ts';
import { EMPTY_ANSWER, type Exit, endWithoutResult, failure, kindOfStatus } from '../failures.ts';
import { asObject, asText, type Wire } from '../json-lines.ts';

/** What is known when the process has ended. */
export interface Ending {
  readonly exit: Exit;
  /** The `completion` object, null when none came. */
  readonly completion: Wire | null;
  /** The message of the last `error` event of the agent's loop. */
  readonly complaint: string | null;
}

export interface Judgement {
  readonly error: AgentError | null;
  /** The HTTP status behind the error, where there was one. */
  readonly status: number | null;
}

/** The provider's whole answer, as the client's API library words it: `429 {"type":"error",…}`. */
const PROVIDER_ERROR = /^(\d{3}) (\{.*\})$/s;

/** What the client says, word for word, where it keeps the status to itself. */
const CONSTANT_MESSAGES: ReadonlyMap<string, AgentErrorKind> = new Map([
  ['Connection error.', 'network'],
  ['Request timed out.', 'network'],
  ['Requested model was not found on the API provider', 'model'],
]);

/** Judges an ending by exit code, `completion` and the errors of the client together; no text of the model is read. */
export function judge({ exit, completion, complaint }: Ending): Judgement {
  if (complaint !== null && (exit.exitCode !== 0 || !completion)) return failed(exit, complaint);
  if (!completion || exit.exitCode !== 0) return { error: endWithoutResult(exit), status: null };
  const said = asText(completion['finalText']) ?? '';
  return { error: said.trim() === '' ? EMPTY_ANSWER : null, status: null };
}

function failed(exit: Exit, complaint: string): Judgement {
  if (exit.signal !== null) return { error: endWithoutResult(exit), status: null };
  const status = statusOf(complaint);
  const kind = status === null ? CONSTANT_MESSAGES.get(complaint) : kindOfStatus(status);
  return { error: failure(kind ?? 'api', complaint), status };
}

function statusOf(complaint: string): number | null {
  const [, status, body] = PROVIDER_ERROR.exec(complaint) ?? [];
  return status !== undefined && body !== undefined && isObject(body) ? Number(status) : null;
}

function isObject(json: string): boolean {
  try {
    return asObject(JSON.parse(json)) !== null;
  } catch {
    return false;
  }
}
