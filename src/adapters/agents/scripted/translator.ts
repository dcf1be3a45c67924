import type { AgentError, AgentEvent, AgentResult } from '../../../contracts/agent.ts';
import { NO_USAGE } from '../../../contracts/model.ts';
import type { Exit } from '../failures.ts';
import { translatorOf, type Wire } from '../json-lines.ts';
import type { Translator } from '../port.ts';
import type { ResultLine } from './script.ts';

const EVENT_TYPES: ReadonlySet<unknown> = new Set<AgentEvent['type']>([
  'session',
  'text',
  'tool-call',
  'tool-result',
  'usage',
  'limit',
  'retry',
  'notice',
]);

interface Session {
  result: ResultLine | null;
  sessionId: string | null;
}

/** The player already speaks in AgentEvents; only what is not one of them needs care. */
export function scriptedTranslator(): Translator {
  return translatorOf<Session>({ result: null, sessionId: null }, translate, conclude);
}

function translate(session: Session, wire: Wire): readonly AgentEvent[] {
  if (wire['type'] === 'result') session.result = wire as unknown as ResultLine;
  if (!EVENT_TYPES.has(wire['type'])) return [];
  const event = wire as unknown as AgentEvent;
  if (event.type === 'session') session.sessionId = event.sessionId;
  return [event];
}

function conclude({ result, sessionId }: Session, { exitCode, signal, stderr }: Exit): AgentResult {
  const error = result?.error ?? failure(exitCode, signal, stderr, result?.text ?? '');
  return {
    exitCode,
    signal,
    ok: error === null,
    text: result?.text ?? '',
    usage: result?.usage ?? NO_USAGE,
    costUsd: result?.costUsd ?? null,
    turns: result?.turns ?? null,
    sessionId,
    limit: result?.limit ?? null,
    error,
  };
}

function failure(exitCode: number | null, signal: string | null, stderr: string, text: string): AgentError | null {
  if (exitCode === 0)
    return text.trim() === '' ? { kind: 'empty', message: 'the agent ended without saying anything' } : null;
  const said = stderr.trim().split('\n').at(-1);
  const end = signal ? `was ended by ${signal}` : `exited with ${exitCode}`;
  return { kind: 'crash', message: `the agent ${end}${said ? `: ${said}` : ''}` };
}
