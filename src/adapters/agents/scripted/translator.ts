import type { AgentError, AgentEvent, AgentResult } from '../../../contracts/agent.ts';
import { NO_USAGE } from '../../../contracts/model.ts';
import { jsonLines } from '../json-lines.ts';
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

/** The player already speaks in AgentEvents; only what is not one of them needs care. */
export function scriptedTranslator(): Translator {
  const lines = jsonLines();
  let result: ResultLine | null = null;
  let sessionId: string | null = null;
  return {
    line(line) {
      const events: AgentEvent[] = [];
      const wire = lines.read(line, (notice) => events.push(notice));
      if (wire?.['type'] === 'result') result = wire as unknown as ResultLine;
      if (!wire || !EVENT_TYPES.has(wire['type'])) return events;
      const event = wire as unknown as AgentEvent;
      if (event.type === 'session') sessionId = event.sessionId;
      return [event];
    },
    end({ exitCode, signal, stderr }): AgentResult {
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
    },
  };
}

function failure(exitCode: number | null, signal: string | null, stderr: string, text: string): AgentError | null {
  if (exitCode === 0)
    return text.trim() === '' ? { kind: 'empty', message: 'the agent ended without saying anything' } : null;
  const said = stderr.trim().split('\n').at(-1);
  const end = signal ? `was ended by ${signal}` : `exited with ${exitCode}`;
  return { kind: 'crash', message: `the agent ${end}${said ? `: ${said}` : ''}` };
}
