import type { AgentError, AgentEvent, AgentResult } from '../../../contracts/agent.ts';
import { NO_USAGE, type Usage } from '../../../contracts/model.ts';
import { addUsage } from '../../../rules/usage.ts';
import { EMPTY_ANSWER, type Exit, endWithoutResult, failure } from '../failures.ts';
import { asObject, asText, translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';
import { readFailure } from './errors.ts';
import { idOf, toolCall, toolResult } from './items.ts';
import { turnUsage } from './usage.ts';

/** What has been gathered of one process's stream. */
interface Session {
  readonly model: string | null;
  sessionId: string | null;
  lastText: string;
  usage: Usage;
  /** How the last turn ended; null while it runs. */
  ending: 'completed' | { readonly failure: string } | null;
  /** Items whose start was seen. */
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
  // Some items are only announced when they are done.
  const call = session.started.has(idOf(item)) ? null : toolCall(item);
  return [call, toolResult(item)].filter((event) => event !== null);
}

/** `Reconnecting... 2/5 (unexpected status 500 …)`; the last complaint comes again with the turn that failed. */
const RECONNECTING = /^Reconnecting\.\.\. (\d+)\/\d+(?: \((.*)\))?$/s;

function complaint(message: string): readonly AgentEvent[] {
  const retry = RECONNECTING.exec(message);
  if (!retry) return message === '' ? [] : [{ type: 'notice', text: message }];
  return [{ type: 'retry', attempt: Number(retry[1]), delayMs: null, reason: retry[2] ?? 'unknown' }];
}

function conclude(session: Session, exit: Exit): AgentResult {
  const error = errorOf(session, exit);
  const { ending } = session;
  const failed = error !== null && typeof ending === 'object' && ending !== null && exit.signal === null;
  return {
    exitCode: exit.exitCode,
    signal: exit.signal,
    ok: error === null,
    text: session.lastText,
    usage: session.usage,
    costUsd: null,
    turns: null,
    sessionId: session.sessionId,
    limit: failed ? readFailure(ending.failure).limit : null,
    error,
  };
}

/** Judges by exit code, the end of the turn and a non-empty answer together. */
function errorOf({ ending, lastText }: Session, exit: Exit): AgentError | null {
  if (exit.signal !== null || ending === null) return endWithoutResult(exit);
  if (ending !== 'completed') return failure(readFailure(ending.failure).kind, ending.failure);
  if (exit.exitCode !== 0) return endWithoutResult(exit);
  return lastText.trim() === '' ? EMPTY_ANSWER : null;
}
