import {
  type AgentErrorKind,
  type AgentEvent,
  type AgentResult,
  NO_USAGE,
  type ProviderLimit,
  type Usage,
} from '../../../contracts/index.ts';
import { addUsage } from '../../../rules/text/index.ts';
import {
  EMPTY_ANSWER,
  type Exit,
  endWithoutResult,
  failure,
  type Judgement,
  kindOfStatus,
  limitOfStatus,
  resultOf,
} from '../failures.ts';
import { asNumber, asObject, asText, objectIn, toolCall, toolResult, translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';

/** What has been read so far from one process's stream. */
interface Session {
  readonly model: string | null;
  sessionId: string | null;
  lastText: string;
  usage: Usage;
  costUsd: number | null;
  turns: number;
  /** Whether the model ended its last step itself. */
  stopped: boolean;
  /** The last `error` event, null when none came. */
  failed: Wire | null;
  /** The wait because of which our plugin ended the client. */
  wait: ProviderLimit | null;
}

/** Reads the events of `opencode run --format json`, and those of our plugin among them. */
export function opencodeTranslator(model: string | null): Translator {
  return translatorOf<Session>(
    {
      model,
      sessionId: null,
      lastText: '',
      usage: NO_USAGE,
      costUsd: null,
      turns: 0,
      stopped: false,
      failed: null,
      wait: null,
    },
    (session, wire) => [...sessionStart(session, wire), ...translate(session, wire)],
    conclude,
  );
}

/** Every event carries the session; no event announces it. */
function sessionStart(session: Session, wire: Wire): readonly AgentEvent[] {
  const sessionId = asText(wire['sessionID']);
  if (sessionId === null || session.sessionId !== null) return [];
  session.sessionId = sessionId;
  return [{ type: 'session', sessionId, model: session.model, version: null }];
}

function translate(session: Session, wire: Wire): readonly AgentEvent[] {
  const part = asObject(wire['part']) ?? {};
  switch (wire['type']) {
    case 'step_start':
      session.stopped = false;
      return [];
    case 'text':
      return fromText(session, part);
    case 'tool_use':
      return fromTool(part);
    case 'step_finish':
      return fromStep(session, part);
    case 'error':
      session.failed = wire;
      return [];
    case 'ralph.retry':
      return fromRetry(session, wire);
    default:
      return [];
  }
}

function fromText(session: Session, part: Wire): readonly AgentEvent[] {
  const text = asText(part['text']) ?? '';
  if (text.trim() === '') return [];
  session.lastText = text;
  return [{ type: 'text', text }];
}

/** A tool appears once, when it is done: as call and result in one event. */
function fromTool(part: Wire): readonly AgentEvent[] {
  const state = asObject(part['state']) ?? {};
  const id = part['callID'];
  const exit = asNumber(asObject(state['metadata'])?.['exit']);
  const input = asObject(state['input']) ?? {};
  const path = asText(input['filePath']);
  const isOk = state['status'] === 'completed' && (exit ?? 0) === 0;
  return [
    toolCall(id, part['tool'], path === null ? input : { path }),
    toolResult(id, isOk, state['output'] ?? state['error']),
  ];
}

function fromStep(session: Session, part: Wire): readonly AgentEvent[] {
  const used = stepUsage(asObject(part['tokens']) ?? {});
  const cost = asNumber(part['cost']);
  session.turns += 1;
  session.stopped = part['reason'] !== 'tool-calls';
  session.usage = addUsage(session.usage, used);
  if (cost !== null) session.costUsd = (session.costUsd ?? 0) + cost;
  return [
    {
      type: 'usage',
      usage: session.usage,
      contextTokens: contextOf(used),
      ...(session.costUsd === null ? {} : { costUsd: session.costUsd }),
    },
  ];
}

function fromRetry(session: Session, wire: Wire): readonly AgentEvent[] {
  const delayMs = asNumber(wire['waitMs']);
  const retry: AgentEvent = {
    type: 'retry',
    attempt: asNumber(wire['attempt']) ?? 0,
    delayMs,
    reason: asText(wire['message']) ?? 'unknown',
  };
  if (delayMs === null || delayMs <= LONGEST_WAIT_MS) return [retry];
  session.wait = { status: 'rejected', kind: 'rate_limit', resetsAt: asNumber(wire['next']) };
  return [retry, { type: 'limit', limit: session.wait }];
}

function conclude(session: Session, exit: Exit): AgentResult {
  const { lastText: text, usage, costUsd, turns, sessionId } = session;
  const { error, limit } = judge({ exit, text, ...session });
  return resultOf(exit, error, { text, usage, costUsd, turns, sessionId, limit });
}

/** The `tokens` of a finished step: each kind is separate, even reasoning, which is billed as output. */
function stepUsage(tokens: Wire): Usage {
  const cache = asObject(tokens['cache']) ?? {};
  return {
    inputTokens: count(tokens['input']),
    outputTokens: count(tokens['output']) + count(tokens['reasoning']),
    cacheReadTokens: count(cache['read']),
    cacheWriteTokens: count(cache['write']),
  };
}

/** The tokens that the step put into the model's context window. */
function contextOf(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}

function count(value: unknown): number {
  return Math.max(0, asNumber(value) ?? 0);
}

/** The client's own back-off stays below a minute; a longer wait comes from the provider. */
export const LONGEST_WAIT_MS = 60_000;

/**
 * A plugin for the client that reports on standard output what its event stream leaves out: that a failed request will
 * be repeated, and when. The client obeys any `retry-after`, silently and even for hours. Waiting is the loop's job, so
 * the plugin ends the client when the wait is longer than {@link LONGEST_WAIT_MS}.
 *
 * A string, because it runs inside the client.
 */
export function reporterSource(): string {
  return `export const ralph = async () => ({
  event: async ({ event }) => {
    const { sessionID, status } = event.type === 'session.status' ? event.properties : {};
    if (status?.type !== 'retry') return;
    const { attempt, message, next } = status;
    const waitMs = Math.max(0, next - Date.now());
    const line = JSON.stringify({ type: 'ralph.retry', sessionID, attempt, message, next, waitMs });
    process.stdout.write(line + '\\n', () => {
      if (waitMs > ${LONGEST_WAIT_MS}) process.exit(1);
    });
  },
});
`;
}

/** The facts known once the process has ended. */
interface Ending extends Readonly<Pick<Session, 'failed' | 'wait' | 'stopped'>> {
  readonly exit: Exit;
  readonly text: string;
}

/** The client's own error names. */
const NAMES: Readonly<Record<string, AgentErrorKind>> = {
  ProviderAuthError: 'auth',
  ProviderModelNotFoundError: 'model',
  ModelNotFoundError: 'model',
  ProviderInitError: 'auth',
  MessageAbortedError: 'crash',
};

/** Codes and types that providers put into the body of a refusal, where they are more precise than its status. */
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
  // An error that the client calls unknown has a name in its log.
  const logged = loggedError(asText(data['ref']), exit.stderr);
  const name = logged?.name ?? asText(error['name']) ?? 'an unnamed error';
  const kind = kindOf(name, data, status);
  return {
    error: failure(kind, logged?.message ?? asText(data['message']) ?? name),
    // Only an overload comes without a status: in the middle of an answer that began normally.
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
  // There was no answer at all, hence no status: the connection failed.
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
  const error = asObject(objectIn(asText(data['responseBody']) ?? '')?.['error']);
  return asText(error?.['code']) ?? asText(error?.['type']);
}

/** When the provider wants the next request, epoch milliseconds: `retry-after` in seconds or as a date. */
function resetOf(data: Wire, at: number | null): number | null {
  const after = asText(asObject(data['responseHeaders'])?.['retry-after']);
  if (after === null) return null;
  const date = Date.parse(after);
  if (/^\d+(\.\d+)?$/.test(after.trim())) return at === null ? null : Math.ceil(at + Number(after) * 1000);
  return Number.isNaN(date) ? null : date;
}
