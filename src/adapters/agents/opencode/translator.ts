import type { AgentEvent, AgentResult, ProviderLimit } from '../../../contracts/agent.ts';
import { NO_USAGE, type Usage } from '../../../contracts/model.ts';
import { addUsage } from '../../../rules/usage.ts';
import type { Exit } from '../failures.ts';
import { asNumber, asObject, asText, translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';
import { callSummary, resultSummary } from '../summaries.ts';
import { judge } from './judge.ts';
import { LONGEST_WAIT_MS } from './reporter.ts';
import { contextOf, stepUsage } from './usage.ts';

/** What has been gathered of one process's stream. */
interface Session {
  readonly model: string | null;
  sessionId: string | null;
  lastText: string;
  usage: Usage;
  costUsd: number | null;
  turns: number;
  /** The model ended its last step by itself. */
  stopped: boolean;
  failed: Wire | null;
  wait: ProviderLimit | null;
}

/** Reads the events of `opencode run --format json`, and those of our plugin between them. */
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

/** Every event carries the session; none announces it. */
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

/** A tool comes once, when it is done: as call and result in one. */
function fromTool(part: Wire): readonly AgentEvent[] {
  const state = asObject(part['state']) ?? {};
  const id = asText(part['callID']) ?? '';
  const exit = asNumber(asObject(state['metadata'])?.['exit']);
  const input = asObject(state['input']) ?? {};
  const path = asText(input['filePath']);
  return [
    {
      type: 'tool-call',
      id,
      name: asText(part['tool']) ?? 'unknown',
      summary: callSummary(path === null ? input : { path }),
    },
    {
      type: 'tool-result',
      id,
      ok: state['status'] === 'completed' && (exit ?? 0) === 0,
      summary: resultSummary(state['output'] ?? state['error']),
    },
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
  const { lastText: text, failed, wait, stopped } = session;
  const { error, limit } = judge({ exit, failed, wait, stopped, text });
  return {
    exitCode: exit.exitCode,
    signal: exit.signal,
    ok: error === null,
    text,
    usage: session.usage,
    costUsd: session.costUsd,
    turns: session.turns,
    sessionId: session.sessionId,
    limit,
    error,
  };
}
