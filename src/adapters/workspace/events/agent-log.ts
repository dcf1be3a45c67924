import { openAppendLog } from '../../../platform/files/append-log.ts';
import { redact } from './redact/redact.ts';
import { redactPieces } from './redact/redact-block.ts';

/** A line longer than this is broken: memory must stay bounded however an agent floods its output. */
const LONGEST_LINE = 1024 * 1024;

/** How far back in such a line a place is looked for at which to cut it: a secret must not be cut in two. */
const LONGEST_WORD = 4 * 1024;

/** The full output of one iteration's agent, redacted. */
export interface AgentLog {
  write(chunk: Uint8Array): void;
  /** Writes what is left of an unfinished line. */
  close(): void;
}

/**
 * Opens the log of one iteration for appending. Text is held back to the end of its line, so that a secret that
 * arrives in two chunks is still seen whole; keys of several lines are followed from line to line.
 */
export function openAgentLog(path: string): AgentLog {
  const log = openAppendLog(path);
  const decoder = new TextDecoder();
  const redactPiece = redactPieces();
  let pending = '';

  function flush(upTo: number): void {
    if (upTo <= 0) return;
    // The log adds the newline itself.
    log.append(redact(redactPiece(pending.slice(0, pending[upTo - 1] === '\n' ? upTo - 1 : upTo))));
    pending = pending.slice(upTo);
  }

  return {
    write(chunk) {
      pending += decoder.decode(chunk, { stream: true });
      flush(safeEnd(pending));
    },
    close() {
      pending += decoder.decode();
      flush(pending.length);
      log.close();
    },
  };
}

/** Where the text can be cut: behind its last line, or behind a word of a line that is too long. */
function safeEnd(text: string): number {
  const end = text.lastIndexOf('\n') + 1;
  if (end > 0 || text.length <= LONGEST_LINE) return end;
  const word = text.lastIndexOf(' ') + 1;
  return word > text.length - LONGEST_WORD ? word : text.length;
}
