import {
  type AgentError,
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
  kindOfStatus,
  limitOfStatus,
  resultOf,
} from '../failures.ts';
import {
  asArray,
  asNumber,
  asObject,
  asText,
  callSummary,
  resultSummary,
  translatorOf,
  type Wire,
} from '../json-lines.ts';
import type { Translator } from '../port.ts';

/** What has been read so far from one process's stream. */
interface Session {
  readonly model: string | null;
  sessionId: string | null;
  lastText: string;
  usage: Usage;
  /** How the last turn ended; null while it runs. */
  ending: 'completed' | { readonly failure: string } | null;
  /** Items whose start event arrived. */
  readonly started: Set<string>;
}

/** Reads the events of `codex exec --json`. Tolerant: unknown events and items are skipped, noise becomes a notice. */
export function codexTranslator(model: string | null): Translator {
  return translatorOf<Session>(
    {
      model,
      sessionId: null,
      lastText: '',
      usage: NO_USAGE,
      ending: null,
      started: new Set(),
    },
    translate,
    conclude,
  );
}

function translate(session: Session, wire: Wire): readonly AgentEvent[] {
  const item = asObject(wire['item']) ?? {};
  switch (wire['type']) {
    case 'thread.started':
      session.sessionId = asText(wire['thread_id']);
      return [{ type: 'session', sessionId: session.sessionId ?? '', model: session.model, version: null }];
    case 'turn.started':
      session.ending = null;
      return [];
    case 'item.started':
      return itemStarted(session, item);
    case 'item.completed':
      return itemCompleted(session, item);
    case 'error':
      return complaint(asText(wire['message']) ?? '');
    case 'turn.completed':
      session.ending = 'completed';
      session.usage = addUsage(session.usage, turnUsage(asObject(wire['usage']) ?? {}));
      return [{ type: 'usage', usage: session.usage, contextTokens: null }];
    case 'turn.failed':
      session.ending = { failure: asText(asObject(wire['error'])?.['message']) ?? 'the turn failed' };
      return [];
    default:
      return [];
  }
}

function itemStarted(session: Session, item: Wire): readonly AgentEvent[] {
  const call = toolCall(item);
  if (!call) return [];
  session.started.add(idOf(item));
  return [call];
}

function itemCompleted(session: Session, item: Wire): readonly AgentEvent[] {
  const text = asText(item['text']) ?? '';
  if (item['type'] === 'agent_message' && text.trim() !== '') {
    session.lastText = text;
    return [{ type: 'text', text }];
  }
  if (item['type'] === 'error') return [{ type: 'notice', text: asText(item['message']) ?? 'an unnamed error' }];
  // Some items are announced only when they are done.
  const call = session.started.has(idOf(item)) ? null : toolCall(item);
  return [call, toolResult(item)].filter((event) => event !== null);
}

/** `Reconnecting... 2/5 (unexpected status 500 …)`; the failed turn repeats the last such message. */
const RECONNECTING = /^Reconnecting\.\.\. (\d+)\/\d+(?: \((.*)\))?$/s;

function complaint(message: string): readonly AgentEvent[] {
  const retry = RECONNECTING.exec(message);
  if (!retry) return message === '' ? [] : [{ type: 'notice', text: message }];
  return [{ type: 'retry', attempt: Number(retry[1]), delayMs: null, reason: retry[2] ?? 'unknown' }];
}

function conclude(session: Session, exit: Exit): AgentResult {
  const error = errorOf(session, exit);
  const { ending, lastText: text, usage, sessionId } = session;
  const failed = error !== null && typeof ending === 'object' && ending !== null && exit.signal === null;
  return resultOf(exit, error, { text, usage, sessionId, limit: failed ? readFailure(ending.failure).limit : null });
}

/** Judges by exit code, the end of the turn and a non-empty answer together. */
function errorOf({ ending, lastText }: Session, exit: Exit): AgentError | null {
  if (exit.signal !== null || ending === null) return endWithoutResult(exit);
  if (ending !== 'completed') return failure(readFailure(ending.failure).kind, ending.failure);
  if (exit.exitCode !== 0) return endWithoutResult(exit);
  return lastText.trim() === '' ? EMPTY_ANSWER : null;
}

/** How an item of the stream is shown as a tool call. */
interface ToolItem {
  name(item: Wire): string;
  call(item: Wire): string;
  result(item: Wire): string;
}

const TOOL_ITEMS: Readonly<Record<string, ToolItem>> = {
  command_execution: {
    name: () => 'shell',
    call: (item) => callSummary({ command: unwrapped(asText(item['command']) ?? '') }),
    result: (item) => resultSummary(item['aggregated_output']),
  },
  file_change: {
    name: () => 'apply_patch',
    call: (item) => callSummary({ path: paths(item) }),
    result: () => '',
  },
  mcp_tool_call: {
    name: (item) => `${asText(item['server']) ?? 'unknown'}.${asText(item['tool']) ?? 'unknown'}`,
    call: (item) => callSummary(asObject(item['arguments']) ?? {}),
    result: (item) =>
      resultSummary(asObject(item['error'])?.['message'] ?? asObject(item['result'])?.['content'] ?? ''),
  },
  web_search: {
    name: () => 'web_search',
    call: (item) => callSummary({ query: asText(item['query']) ?? '' }),
    result: () => '',
  },
  collab_tool_call: {
    name: (item) => asText(item['tool']) ?? 'agent',
    call: (item) => callSummary({ prompt: asText(item['prompt']) ?? '' }),
    result: () => '',
  },
};

/** The call that an item stands for; null for items that use no tool. */
export function toolCall(item: Wire): AgentEvent | null {
  const shown = shownAs(item);
  return shown && { type: 'tool-call', id: idOf(item), name: shown.name(item), summary: shown.call(item) };
}

/** The result of a completed item; null for items that use no tool. */
export function toolResult(item: Wire): AgentEvent | null {
  const shown = shownAs(item);
  return shown && { type: 'tool-result', id: idOf(item), ok: succeeded(item), summary: shown.result(item) };
}

function idOf(item: Wire): string {
  return asText(item['id']) ?? '';
}

function shownAs(item: Wire): ToolItem | null {
  const type = asText(item['type']) ?? '';
  return (Object.hasOwn(TOOL_ITEMS, type) ? TOOL_ITEMS[type] : null) ?? null;
}

function succeeded(item: Wire): boolean {
  const status = asText(item['status']) ?? 'completed';
  return status === 'completed' && (asNumber(item['exit_code']) ?? 0) === 0;
}

/** `/bin/bash -lc 'make test'` → `make test`: the client adds the wrapper, and it tells the reader nothing. */
function unwrapped(command: string): string {
  const [, single, double] = /^\S*sh -l?c (?:'(.*)'|"(.*)")$/s.exec(command) ?? [];
  if (single !== undefined) return single.replaceAll(`'\\''`, "'");
  return double?.replace(/\\(["\\$`])/g, '$1') ?? command;
}

function paths(item: Wire): string {
  return asArray(item['changes'])
    .map((change) => asText(asObject(change)?.['path']))
    .filter((path) => path !== null)
    .join(' ');
}

/** The `usage` of a turn: input tokens include cache reads and writes, output tokens include the reasoning. */
function turnUsage(wire: Wire): Usage {
  const count = (field: string) => Math.max(0, asNumber(wire[field]) ?? 0);
  const input = count('input_tokens');
  const read = Math.min(count('cached_input_tokens'), input);
  const written = Math.min(count('cache_write_input_tokens'), input - read);
  return {
    inputTokens: input - read - written,
    outputTokens: count('output_tokens'),
    cacheReadTokens: read,
    cacheWriteTokens: written,
  };
}

/*
 * A failed turn has a message and no code (`{"type":"turn.failed","error":{"message":…}}`), so the message is matched
 * against the templates of the client's own error type. They are matched from their first word on, in that one field,
 * where neither the model nor a tool can write.
 */

interface Template {
  readonly starts: RegExp;
  readonly kind: AgentErrorKind;
  /** Names the limit, for templates of kind `limit`. */
  readonly limit?: string;
}

/** `unexpected status 401 Unauthorized: …`, `exceeded retry limit, last status: 429 Too Many Requests`. */
const STATUS = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/;

const TEMPLATES: readonly Template[] = [
  { starts: /^You['’]ve hit your usage limit\b/, kind: 'limit', limit: 'usage_limit' },
  { starts: /^Selected model is at capacity\./, kind: 'limit', limit: 'overloaded' },
  { starts: /^Quota exceeded\. Check your plan and billing/, kind: 'auth' },
  { starts: /^Your workspace is out of credits\./, kind: 'auth' },
  { starts: /^You hit your spend cap\b/, kind: 'auth' },
  { starts: /^To use Codex with your ChatGPT plan, upgrade\b/, kind: 'auth' },
  { starts: /^Your (?:access token|authentication session) could not be refreshed\b/, kind: 'auth' },
  { starts: /^Missing environment variable: `/, kind: 'auth' },
  // Text of the provider, which the client passes on unchanged.
  { starts: /^The (?:requested )?model [`'][^`']+[`'] does not exist\b/, kind: 'model' },
  { starts: /^The [`'][^`']+[`'] model is not supported\b/, kind: 'model' },
  { starts: /^stream disconnected before completion\b/, kind: 'network' },
  { starts: /^(?:Connection failed|Error while reading the server response):/, kind: 'network' },
  { starts: /^request timed out$/, kind: 'network' },
  { starts: /^We['’]re currently experiencing high demand\b/, kind: 'network' },
];

interface Failure {
  readonly kind: AgentErrorKind;
  readonly limit: ProviderLimit | null;
}

/**
 * What a failed turn means to the loop. The client gives the end of a limit only as a time of day in its own time zone,
 * so no limit has a reset time.
 */
export function readFailure(message: string): Failure {
  const status = STATUS.exec(message)?.[1];
  if (status !== undefined) {
    const kind = kindOfStatus(Number(status));
    return { kind, limit: kind === 'limit' ? limitOfStatus(Number(status)) : null };
  }
  const template = TEMPLATES.find(({ starts }) => starts.test(message));
  const limit = template?.limit;
  return {
    kind: template?.kind ?? 'api',
    limit: limit === undefined ? null : { status: 'rejected', kind: limit, resetsAt: null },
  };
}
