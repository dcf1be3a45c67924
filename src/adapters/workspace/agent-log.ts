import { openAppendLog } from '../../platform/append-log.ts';
import { redact } from './redact.ts';

/** A line longer than this is broken: memory must stay bounded however an agent floods its output. */
const LONGEST_LINE = 1024 * 1024;

/** How much of an unfinished private key block is held back until its end arrives. */
const LONGEST_KEY = 64 * 1024;

/** The full output of one iteration's agent, redacted. */
export interface AgentLog {
  write(chunk: Uint8Array): void;
  /** Writes what is left of an unfinished line. */
  close(): void;
}

/**
 * Opens the log of one iteration for appending. Text is held back to the end of its line, so that a secret that
 * arrives in two chunks is still seen whole.
 */
export function openAgentLog(path: string): AgentLog {
  const log = openAppendLog(path);
  const decoder = new TextDecoder();
  let pending = '';

  function flush(upTo: number): void {
    if (upTo <= 0) return;
    // The log adds the newline itself.
    log.append(redact(pending.slice(0, pending[upTo - 1] === '\n' ? upTo - 1 : upTo)));
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

/** Where the text can be cut without splitting a line or a private key, as far as the bounds allow. */
function safeEnd(text: string): number {
  const end = text.lastIndexOf('\n') + 1;
  if (end === 0) return text.length > LONGEST_LINE ? text.length : 0;
  const open = text.lastIndexOf('-----BEGIN ', end);
  const isOpen =
    open >= 0 &&
    /^-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY-----/.test(text.slice(open, open + 64)) &&
    !text.includes('-----END ', open);
  if (!isOpen || text.length - open > LONGEST_KEY) return end;
  return text.lastIndexOf('\n', open) + 1;
}
