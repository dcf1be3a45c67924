import type { AgentEvent, AgentResult } from '../../../contracts/agent.ts';
import { NO_USAGE, type Usage } from '../../../contracts/model.ts';
import { type Exit, limitOfStatus } from '../failures.ts';
import { asNumber, asObject, asText, translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';
import { callSummary, resultSummary } from '../summaries.ts';
import { judge } from './judge.ts';

/** What has been gathered of one process's stream. */
interface Session {
  sessionId: string | null;
  lastText: string;
  complaint: string | null;
  completion: Wire | null;
}

/** Reads the stream-json of `droid exec`. */
export function droidTranslator(): Translator {
  return translatorOf<Session>(
    { sessionId: null, lastText: '', complaint: null, completion: null },
    translate,
    conclude,
  );
}

function translate(session: Session, wire: Wire): readonly AgentEvent[] {
  switch (wire['type']) {
    case 'system':
      if (wire['subtype'] !== 'init') return [];
      session.sessionId = asText(wire['session_id']);
      return [{ type: 'session', sessionId: session.sessionId ?? '', model: asText(wire['model']), version: null }];
    case 'message':
      // The prompt comes back as the user's message.
      return wire['role'] === 'assistant' ? said(session, asText(wire['text']) ?? '') : [];
    case 'tool_call':
      return [
        {
          type: 'tool-call',
          id: asText(wire['id']) ?? '',
          name: asText(wire['toolName']) ?? 'unknown',
          summary: callSummary(asObject(wire['parameters']) ?? {}),
        },
      ];
    case 'tool_result':
      return [
        {
          type: 'tool-result',
          id: asText(wire['id']) ?? '',
          ok: wire['isError'] !== true,
          summary: resultSummary(wire['value'] ?? asObject(wire['error'])?.['message']),
        },
      ];
    case 'error':
      return complained(session, wire);
    case 'completion':
      session.completion = wire;
      return [{ type: 'usage', usage: usageOf(wire), contextTokens: null }];
    default:
      return [];
  }
}

function said(session: Session, text: string): readonly AgentEvent[] {
  if (text.trim() === '') return [];
  session.lastText = text;
  return [{ type: 'text', text }];
}

/** The agent's loop says what went wrong; the command line repeats only that something did. */
function complained(session: Session, wire: Wire): readonly AgentEvent[] {
  const message = asText(wire['message']) ?? 'an error without a message';
  if (wire['source'] === 'cli' && session.complaint !== null) return [];
  session.complaint = message;
  return [{ type: 'notice', text: message }];
}

function usageOf(completion: Wire | null): Usage {
  const usage = asObject(completion?.['usage']);
  if (!usage) return NO_USAGE;
  const count = (field: string) => Math.max(0, asNumber(usage[field]) ?? 0);
  return {
    inputTokens: count('input_tokens'),
    outputTokens: count('output_tokens'),
    cacheReadTokens: count('cache_read_input_tokens'),
    cacheWriteTokens: count('cache_creation_input_tokens'),
  };
}

function conclude(session: Session, exit: Exit): AgentResult {
  const { completion, complaint } = session;
  const { error, status } = judge({ exit, completion, complaint });
  return {
    exitCode: exit.exitCode,
    signal: exit.signal,
    ok: error === null,
    text: asText(completion?.['finalText']) ?? session.lastText,
    usage: usageOf(completion),
    costUsd: null,
    turns: asNumber(completion?.['numTurns']),
    sessionId: session.sessionId,
    limit: error?.kind === 'limit' && status !== null ? limitOfStatus(status) : null,
    error,
  };
}
