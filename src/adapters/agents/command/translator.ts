import { type AgentError, type AgentEvent, NO_USAGE } from '../../../contracts/index.ts';
import { EMPTY_ANSWER, type Exit, endWithoutResult } from '../failures.ts';
import type { Translator } from '../port.ts';

/** Characters of an answer that are kept: its end, where the conclusion is. */
const MAX_TEXT = 64 * 1024;
/** Characters of a line that become an event, and number of lines that do: a build log must not fill the event log. */
const MAX_LINE = 2_000;
const MAX_EVENTS = 2_000;

/** Exit codes of a shell that could not start a program: found but not executable, not found. */
const NOT_STARTED = new Set([126, 127]);

/** Takes every line as text of the agent. Success is exit 0 with any output at all. */
export function commandTranslator(): Translator {
  let text = '';
  let lines = 0;
  return {
    line(line): readonly AgentEvent[] {
      text += `${line}\n`;
      // Cut rarely, so that the cost of a long output stays linear.
      if (text.length > 2 * MAX_TEXT) text = text.slice(-MAX_TEXT);
      lines += 1;
      if (lines > MAX_EVENTS + 1) return [];
      if (lines > MAX_EVENTS) return [{ type: 'notice', text: 'more output; not shown' }];
      return [{ type: 'text', text: line.slice(0, MAX_LINE) }];
    },
    end(exit) {
      const answer = text.slice(-MAX_TEXT).trim();
      const error = judge(exit, answer);
      return {
        exitCode: exit.exitCode,
        signal: exit.signal,
        ok: error === null,
        text: answer,
        usage: NO_USAGE,
        costUsd: null,
        turns: null,
        sessionId: null,
        limit: null,
        error,
      };
    },
  };
}

function judge(exit: Exit, answer: string): AgentError | null {
  if (exit.exitCode === 0) return answer === '' ? EMPTY_ANSWER : null;
  const error = endWithoutResult(exit);
  return NOT_STARTED.has(exit.exitCode ?? 0) ? { ...error, kind: 'unavailable' } : error;
}
