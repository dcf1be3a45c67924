import type { AgentEvent, AgentResult, ProviderLimit } from '../../../contracts/agent.ts';
import { NO_USAGE, type Usage } from '../../../contracts/model.ts';
import { addUsage } from '../../../rules/usage.ts';
import { asArray, asNumber, asObject, asText, translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';
import { callSummary, resultSummary } from '../summaries.ts';
import { judge } from './judge.ts';
import { limitOf } from './limits.ts';
import { apiUsage, contextOf, contextWindows, resultUsage } from './usage.ts';

/** What has been gathered of one process's stream. */
interface Session {
  sessionId: string | null;
  /** The last `result` counts: background work makes the client write several. */
  result: Wire | null;
  apiError: string | null;
  rejected: ProviderLimit | null;
  /** Running total over the messages seen; a message comes in several blocks that repeat its usage. */
  usage: Usage;
  readonly counted: Set<string>;
  lastText: string;
}

/**
 * Reads the client's stream-json. Tolerant: unknown types are skipped, noise becomes a notice, keys may come in any
 * order. `usage` events carry the running total of the process.
 */
export function claudeTranslator(): Translator {
  return translatorOf<Session>(
    {
      sessionId: null,
      result: null,
      apiError: null,
      rejected: null,
      usage: NO_USAGE,
      counted: new Set(),
      lastText: '',
    },
    translate,
    conclude,
  );
}

function translate(session: Session, wire: Wire): readonly AgentEvent[] {
  switch (wire['type']) {
    case 'system':
      return fromSystem(session, wire);
    case 'assistant':
      return fromAssistant(session, wire);
    case 'user':
      return fromUser(wire);
    case 'rate_limit_event':
      return fromRateLimit(session, wire);
    case 'result':
      return fromResult(session, wire);
    default:
      return [];
  }
}

function fromSystem(session: Session, wire: Wire): readonly AgentEvent[] {
  switch (wire['subtype']) {
    case 'init': {
      session.sessionId = asText(wire['session_id']);
      const broken = asArray(wire['plugin_errors']).map(
        (error): AgentEvent => ({ type: 'notice', text: `plugin error: ${JSON.stringify(error)}` }),
      );
      return [
        {
          type: 'session',
          sessionId: session.sessionId ?? '',
          model: asText(wire['model']),
          version: asText(wire['claude_code_version']),
        },
        ...broken,
      ];
    }
    case 'api_retry':
      return [
        {
          type: 'retry',
          attempt: asNumber(wire['attempt']) ?? 0,
          ...given(asNumber(wire['max_retries'])),
          delayMs: asNumber(wire['retry_delay_ms']),
          reason: retryReason(asText(wire['error']), asNumber(wire['error_status'])),
        },
      ];
    case 'compact_boundary': {
      const after = asNumber(asObject(wire['compact_metadata'])?.['post_tokens']);
      return [
        { type: 'notice', text: 'the conversation was compacted' },
        { type: 'usage', usage: session.usage, contextTokens: after },
      ];
    }
    case 'model_fallback':
      return [
        { type: 'notice', text: `the client went over to model ${asText(wire['fallback_model']) ?? '(unnamed)'}` },
      ];
    default:
      return [];
  }
}

/** One event a content block; blocks of one message share its id and usage. */
function fromAssistant(session: Session, wire: Wire): readonly AgentEvent[] {
  const message = asObject(wire['message']);
  if (!message) return [];
  const error = asText(wire['error']) ?? asText(message['error']);
  // The client's own words about a failed request; they come again in the result.
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
    if (block['type'] === 'tool_use') {
      const input = asObject(block['input']) ?? {};
      events.push({
        type: 'tool-call',
        id: asText(block['id']) ?? '',
        name: asText(block['name']) ?? 'unknown',
        summary: callSummary(input),
      });
    }
  }
  const usage = asObject(message['usage']);
  if (usage) events.push(countMessage(session, asText(message['id']), apiUsage(usage), isSubagent));
  return events;
}

/** Counts a message once, however many blocks it comes in. */
function countMessage(session: Session, id: string | null, usage: Usage, isSubagent: boolean): AgentEvent {
  if (id === null || !session.counted.has(id)) session.usage = addUsage(session.usage, usage);
  if (id !== null) session.counted.add(id);
  return { type: 'usage', usage: session.usage, contextTokens: isSubagent ? null : contextOf(usage) };
}

function fromUser(wire: Wire): readonly AgentEvent[] {
  return asArray(asObject(wire['message'])?.['content']).flatMap((value): AgentEvent[] => {
    const block = asObject(value);
    if (block?.['type'] !== 'tool_result') return [];
    return [
      {
        type: 'tool-result',
        id: asText(block['tool_use_id']) ?? '',
        ok: block['is_error'] !== true,
        summary: resultSummary(block['content']),
      },
    ];
  });
}

const given = (of: number | null) => (of === null ? {} : { of });

/** The client says `unknown`, without a status, when a request had no answer at all; its result names the cause. */
function retryReason(error: string | null, status: number | null): string {
  const name = error === null || error === 'unknown' ? null : error.replaceAll('_', ' ');
  const said = [name, status].filter((part) => part !== null).join(' ');
  return said === '' ? 'no answer from the provider' : said;
}

function fromRateLimit(session: Session, wire: Wire): readonly AgentEvent[] {
  const limit = limitOf(wire);
  if (!limit) return [];
  if (limit.status === 'rejected') session.rejected = limit;
  return [{ type: 'limit', limit }];
}

function fromResult(session: Session, wire: Wire): readonly AgentEvent[] {
  session.result = wire;
  session.sessionId = asText(wire['session_id']) ?? session.sessionId;
  const denied = asArray(wire['permission_denials']).map(
    (denial) => asText(asObject(denial)?.['tool_name']) ?? 'a tool',
  );
  return denied.length === 0 ? [] : [{ type: 'notice', text: `the client denied: ${[...new Set(denied)].join(', ')}` }];
}

function conclude(session: Session, exit: Parameters<Translator['end']>[0]): AgentResult {
  const { result } = session;
  const { error, limit } = judge({ ...exit, result, apiError: session.apiError, rejected: session.rejected });
  return {
    exitCode: exit.exitCode,
    signal: exit.signal,
    ok: error === null,
    text: result ? (asText(result['result']) ?? '') : session.lastText,
    usage: (result && resultUsage(result)) ?? session.usage,
    costUsd: result && asNumber(result['total_cost_usd']),
    turns: result && asNumber(result['num_turns']),
    sessionId: session.sessionId,
    ...(result ? { windows: contextWindows(result) } : {}),
    limit,
    error,
  };
}
