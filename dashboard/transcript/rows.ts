import type { RalphEvent } from '../../src/contracts/events.ts';
import type { Entry } from './pages.ts';
import { type Said, say } from './say.ts';

/** One row of the transcript: an event, or a tool call with its result. */
export interface Row {
  readonly line: number;
  readonly event: RalphEvent;
  readonly said: Said;
  /** What the tool answered; null while it works, or when the answer is not in the window. */
  readonly result: { readonly line: number; readonly ok: boolean; readonly text: string } | null;
}

/**
 * Rows of events that follow each other. A result goes to its call, wherever in the stretch that is; without its call
 * it has a row of its own.
 */
export function rowsOf(events: readonly Entry[]): readonly Row[] {
  const rows: Row[] = [];
  const calls = new Map<string, number>();
  for (const [line, event] of events) {
    const did = event.type === 'agent' ? event.event : null;
    if (did?.type === 'tool-result') {
      const key = `${event.iteration} ${did.id}`;
      const at = calls.get(key);
      const call = at === undefined ? undefined : rows[at];
      if (at !== undefined && call !== undefined) {
        rows[at] = { ...call, result: { line, ok: did.ok, text: did.summary } };
        calls.delete(key);
        continue;
      }
    }
    const said = say(event);
    if (said === null) continue;
    if (did?.type === 'tool-call') calls.set(`${event.iteration} ${did.id}`, rows.length);
    rows.push({ line, event, said, result: null });
  }
  return rows;
}

/** Whether a line of the log is shown by this row. */
export function shows(row: Row, line: number): boolean {
  return row.line === line || row.result?.line === line;
}
