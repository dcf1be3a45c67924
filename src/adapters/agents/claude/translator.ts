import { type AgentEvent, NO_USAGE, type ProviderLimit, type Usage } from '../../../contracts/index.ts';
import { addUsage, allTokens } from '../../../rules/text/index.ts';
import type { Ended, Exit } from '../ends.ts';
import type { Translator } from '../port.ts';
import { byKind, opened, type Session, tokensIn, toolCall, toolResult, translatorOf, used } from '../translate.ts';
import { asArray, asNumber, asObject, asText, type Wire } from '../wire.ts';
import { judge } from './judge.ts';

type Stream = Session & ReturnType<typeof beginning>;

const beginning = () => ({
  /** The last `result` counts: background work makes the client write several. */
  result: null as Wire | null,
  apiError: null as string | null,
  /** The last rejection of a `rate_limit_event`. */
  rejected: null as ProviderLimit | null,
  /** Messages whose usage was counted; a message arrives in several blocks that repeat it. */
  counted: new Set<string>(),
});

/** Reads the client's stream-json. `usage` events carry the running total of the process. */
export function claudeTranslator(): Translator {
  return translatorOf(beginning(), translate, conclude);
}

const fromSystem = byKind<Stream>(
  {
    init: (session, wire) => {
      const broken = asArray(wire['plugin_errors']).map(
        (error): AgentEvent => ({ type: 'notice', text: `plugin error: ${JSON.stringify(error)}` }),
      );
      const version = asText(wire['claude_code_version']);
      return [...opened(session, wire['session_id'], asText(wire['model']), version), ...broken];
    },
    api_retry: (_, wire) => [
      {
        type: 'retry',
        attempt: asNumber(wire['attempt']) ?? 0,
        ...given(asNumber(wire['max_retries'])),
        delayMs: asNumber(wire['retry_delay_ms']),
        reason: retryReason(asText(wire['error']), asNumber(wire['error_status'])),
      },
    ],
    compact_boundary: (session, wire) => {
      const after = asNumber(asObject(wire['compact_metadata'])?.['post_tokens']);
      return [{ type: 'notice', text: 'the conversation was compacted' }, used(session, after)];
    },
    model_fallback: (_, wire) => [
      { type: 'notice', text: `the client switched to model ${asText(wire['fallback_model']) ?? '(unnamed)'}` },
    ],
  },
  'subtype',
);

const translate = byKind<Stream>({
  system: fromSystem,
  assistant: fromAssistant,
  user: (_, wire) => fromUser(wire),
  rate_limit_event: fromRateLimit,
  result: fromResult,
});

/** One event per content block; blocks of one message share its id and usage. */
function fromAssistant(session: Stream, wire: Wire): readonly AgentEvent[] {
  const message = asObject(wire['message']);
  if (!message) return [];
  const error = asText(wire['error']) ?? asText(message['error']);
  // The client's own text about a failed request; the result repeats it.
  if (message['model'] === '<synthetic>') {
    session.apiError = error ?? session.apiError;
    return [];
  }
  const isSubagent = asText(wire['parent_tool_use_id']) !== null;
  const events: AgentEvent[] = [];
  for (const value of asArray(message['content'])) {
    const block = asObject(value) ?? {};
    const text = asText(block['text']);
    if (block['type'] === 'text' && text) {
      if (!isSubagent) session.lastText = text;
      events.push({ type: 'text', text });
    }
    if (block['type'] === 'tool_use') events.push(toolCall(block['id'], block['name'], block['input']));
  }
  const usage = asObject(message['usage']);
  if (usage) events.push(countMessage(session, asText(message['id']), tokensIn(usage), isSubagent));
  return events;
}

function countMessage(session: Stream, id: string | null, usage: Usage, isSubagent: boolean): AgentEvent {
  if (id === null || !session.counted.has(id)) session.usage = addUsage(session.usage, usage);
  if (id !== null) session.counted.add(id);
  return used(session, isSubagent ? null : allTokens(usage));
}

function fromUser(wire: Wire): readonly AgentEvent[] {
  return asArray(asObject(wire['message'])?.['content']).flatMap((value): AgentEvent[] => {
    const block = asObject(value);
    if (block?.['type'] !== 'tool_result') return [];
    return [toolResult(block['tool_use_id'], block['is_error'] !== true, block['content'])];
  });
}

const given = (of: number | null) => (of === null ? {} : { of });

/** The client says `unknown`, without a status, when a request had no answer at all; its result names the cause. */
function retryReason(error: string | null, status: number | null): string {
  const name = error === null || error === 'unknown' ? null : error.replaceAll('_', ' ');
  const said = [name, status].filter((part) => part !== null).join(' ');
  return said === '' ? 'no answer from the provider' : said;
}

function fromRateLimit(session: Stream, wire: Wire): readonly AgentEvent[] {
  const limit = limitOf(wire);
  if (!limit) return [];
  if (limit.status === 'rejected') session.rejected = limit;
  return [{ type: 'limit', limit }];
}

function fromResult(session: Stream, wire: Wire): readonly AgentEvent[] {
  session.result = wire;
  session.sessionId = asText(wire['session_id']) ?? session.sessionId;
  const denied = asArray(wire['permission_denials']).map(
    (denial) => asText(asObject(denial)?.['tool_name']) ?? 'a tool',
  );
  return denied.length === 0 ? [] : [{ type: 'notice', text: `the client denied: ${[...new Set(denied)].join(', ')}` }];
}

function conclude(session: Stream, exit: Exit): Ended {
  const { result, apiError, rejected } = session;
  const judged = judge({ ...exit, result, apiError, rejected });
  if (!result) return judged;
  return {
    ...judged,
    text: asText(result['result']) ?? '',
    usage: resultUsage(result) ?? session.usage,
    costUsd: asNumber(result['total_cost_usd']),
    turns: asNumber(result['num_turns']),
    windows: contextWindows(result),
  };
}

const OF_MODEL = ['inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'] as const;

/** The totals of a `result`: `modelUsage` includes subagents and side calls, `usage` only the main conversation. */
function resultUsage(result: Wire): Usage | null {
  const perModel = Object.values(asObject(result['modelUsage']) ?? {})
    .map(asObject)
    .filter((wire) => wire !== null);
  if (perModel.length > 0) return perModel.map((wire) => tokensIn(wire, OF_MODEL)).reduce(addUsage, NO_USAGE);
  const usage = asObject(result['usage']);
  return usage && tokensIn(usage);
}

function contextWindows(result: Wire): Readonly<Record<string, number>> {
  const windows: Record<string, number> = {};
  for (const [model, usage] of Object.entries(asObject(result['modelUsage']) ?? {})) {
    const window = asNumber(asObject(usage)?.['contextWindow']);
    if (window !== null && window > 0) windows[model] = window;
  }
  return windows;
}

/** The limit in a `rate_limit_event`; null while requests are allowed. Only subscriptions send these. */
function limitOf(event: Wire): ProviderLimit | null {
  const info = asObject(event['rate_limit_info']);
  const status = asText(info?.['status']);
  if (!info || (status !== 'rejected' && status !== 'allowed_warning')) return null;
  const resetsAt = asNumber(info['resetsAt']);
  return {
    status: status === 'rejected' ? 'rejected' : 'warning',
    kind: asText(info['rateLimitType']) ?? 'rate_limit',
    // The client reports epoch seconds.
    resetsAt: resetsAt === null ? null : resetsAt * 1000,
  };
}
