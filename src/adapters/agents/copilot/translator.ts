import type { AgentEvent, AgentResult } from '../../../contracts/agent.ts';
import { NO_USAGE } from '../../../contracts/model.ts';
import type { Exit } from '../failures.ts';
import { asNumber, asObject, asText, translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';
import { callSummary, resultSummary } from '../summaries.ts';
import { judge, limitOf } from './judge.ts';

/** What has been gathered of one process's stream. */
interface Session {
  model: string | null;
  lastText: string;
  /** The last message, which may be empty. */
  answer: string;
  problem: Wire | null;
  request: string | null;
  retries: number;
  result: Wire | null;
}

/**
 * Reads the client's JSON lines. They tell of no tokens: those of a request are among the events that this output
 * leaves out.
 */
export function copilotTranslator(): Translator {
  return translatorOf<Session>(
    {
      model: null,
      lastText: '',
      answer: '',
      problem: null,
      request: null,
      retries: 0,
      result: null,
    },
    (session, wire) => translate(session, wire, asObject(wire['data']) ?? {}),
    conclude,
  );
}

function translate(session: Session, wire: Wire, data: Wire): readonly AgentEvent[] {
  switch (wire['type']) {
    case 'session.tools_updated':
      return started(session, asText(data['model']));
    case 'assistant.message':
      return said(session, data);
    case 'tool.execution_start':
      return [
        {
          type: 'tool-call',
          id: asText(data['toolCallId']) ?? '',
          name: asText(data['toolName']) ?? 'unknown',
          summary: callSummary(asObject(data['arguments']) ?? {}),
        },
      ];
    case 'tool.execution_complete':
      return [toolResult(data)];
    case 'assistant.turn_retry':
      session.retries += 1;
      return [{ type: 'retry', attempt: session.retries, delayMs: null, reason: asText(data['reason']) ?? 'unknown' }];
    case 'model.call_final_result':
      session.request = asText(data['result']);
      return [];
    case 'session.warning':
      return [{ type: 'notice', text: asText(data['message']) ?? 'a warning without a message' }];
    case 'session.error': {
      session.problem = data;
      const limit = limitOf(data);
      return limit ? [{ type: 'limit', limit }] : [];
    }
    case 'result':
      session.result = wire;
      return [];
    default:
      return [];
  }
}

/** The first news of the model starts the session; its id comes only at the end. */
function started(session: Session, model: string | null): readonly AgentEvent[] {
  if (session.model !== null || model === null) return [];
  session.model = model;
  return [{ type: 'session', sessionId: '', model, version: null }];
}

function said(session: Session, data: Wire): readonly AgentEvent[] {
  const text = asText(data['content']) ?? '';
  const isEmpty = text.trim() === '';
  const isSubagent = asText(data['parentToolCallId']) !== null;
  if (!isSubagent) session.answer = text;
  if (!isSubagent && !isEmpty) session.lastText = text;
  return isEmpty ? [] : [{ type: 'text', text }];
}

/** A command that failed is a success to the client: it did run. */
function toolResult(data: Wire): AgentEvent {
  const exitCode = asNumber(asObject(data['shellExecution'])?.['exitCode']) ?? 0;
  return {
    type: 'tool-result',
    id: asText(data['toolCallId']) ?? '',
    ok: data['success'] === true && exitCode === 0,
    summary: resultSummary(asObject(data['result'])?.['content'] ?? asObject(data['error'])?.['message']),
  };
}

function conclude(session: Session, exit: Exit): AgentResult {
  const { result, answer, problem, request } = session;
  const error = judge({ exit, result, answer, problem, request });
  return {
    exitCode: exit.exitCode,
    signal: exit.signal,
    ok: error === null,
    text: session.lastText,
    usage: NO_USAGE,
    costUsd: null,
    turns: null,
    sessionId: asText(result?.['sessionId']),
    limit: error?.kind === 'limit' && problem ? limitOf(problem) : null,
    error,
  };
}
