import type { AgentEvent, AgentResult } from '../../../contracts/agent.ts';
import { type Exit, limitOfStatus } from '../failures.ts';
import { asObject, asText, translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';
import { callSummary, resultSummary } from '../summaries.ts';
import { judge } from './judge.ts';
import { usageOf } from './usage.ts';

/** What has been gathered of one process's stream. */
interface Session {
  sessionId: string | null;
  /** Pieces of the message that the model is writing. */
  writing: string;
  lastText: string;
  /** What it said after its last tool call. */
  answer: string;
  complaint: string | null;
  result: Wire | null;
}

/** Reads the client's stream-json. A message comes in pieces; they become one text event when something else follows. */
export function geminiTranslator(): Translator {
  return translatorOf<Session>(
    {
      sessionId: null,
      writing: '',
      lastText: '',
      answer: '',
      complaint: null,
      result: null,
    },
    translate,
    conclude,
  );
}

function translate(session: Session, wire: Wire): readonly AgentEvent[] {
  switch (wire['type']) {
    case 'init': {
      session.sessionId = asText(wire['session_id']);
      return [{ type: 'session', sessionId: session.sessionId ?? '', model: asText(wire['model']), version: null }];
    }
    case 'message':
      // The prompt comes back as the user's message.
      if (wire['role'] === 'assistant') session.writing += asText(wire['content']) ?? '';
      return [];
    case 'tool_use':
      return [...written(session), toolCall(session, wire)];
    case 'tool_result':
      return [
        ...written(session),
        {
          type: 'tool-result',
          id: asText(wire['tool_id']) ?? '',
          ok: wire['status'] === 'success',
          summary: resultSummary(wire['output'] ?? asObject(wire['error'])?.['message']),
        },
      ];
    case 'error':
      session.complaint = asText(wire['message']) ?? session.complaint;
      return [...written(session), { type: 'notice', text: session.complaint ?? 'an error without a message' }];
    case 'result':
      session.result = wire;
      return [...written(session), { type: 'usage', usage: usageOf(asObject(wire['stats'])), contextTokens: null }];
    default:
      return [];
  }
}

function toolCall(session: Session, wire: Wire): AgentEvent {
  session.answer = '';
  return {
    type: 'tool-call',
    id: asText(wire['tool_id']) ?? '',
    name: asText(wire['tool_name']) ?? 'unknown',
    summary: callSummary(asObject(wire['parameters']) ?? {}),
  };
}

/** The message that is now complete. */
function written(session: Session): readonly AgentEvent[] {
  const text = session.writing;
  session.writing = '';
  if (text.trim() === '') return [];
  session.lastText = text;
  session.answer = text;
  return [{ type: 'text', text }];
}

function conclude(session: Session, exit: Exit): AgentResult {
  written(session);
  const { result, answer, complaint } = session;
  const { error, status } = judge({ exit, result, answer, complaint });
  return {
    exitCode: exit.exitCode,
    signal: exit.signal,
    ok: error === null,
    text: session.lastText,
    usage: usageOf(asObject(result?.['stats'])),
    costUsd: null,
    turns: null,
    sessionId: session.sessionId,
    limit: error?.kind === 'limit' && status !== null ? limitOfStatus(status) : null,
    error,
  };
}
