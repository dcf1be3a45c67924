import type { RalphEvent } from '../../src/contracts/index.ts';
import { LongText, Marked } from './long-text.tsx';
import type { Entry } from './pages.ts';
import { type Said, say, timeOf } from './say.ts';

interface RowProps {
  readonly row: Row;
  /** Words to highlight. */
  readonly find: string;
  /** Whether the reader was brought here. */
  readonly chosen: boolean;
  readonly copyLink: (line: number) => void;
}

/** Glyphs beside the colours of tones. */
const GLYPH = { good: '✓', bad: '✗', warn: '!', accent: '▸', dim: '·', plain: '' } as const;

/** Lines shown of long texts; people do not read the output of a passed check. */
const LINES = { words: 40, call: 0, result: 3, passed: 0, other: 8 } as const;

/** Of one event, or of a tool call with its result. */
export function RowView({ row, find, chosen, copyLink }: RowProps) {
  const { said, event, line } = row;
  const kind = kindOf(row);
  const open = chosen && find !== '';
  return (
    <li class={`row ${kind} ${said.tone === 'plain' ? '' : said.tone}${chosen ? ' chosen' : ''}`} data-line={line}>
      <button type="button" class="when" title={`Copy a link to line ${line}`} onClick={() => copyLink(line)}>
        {timeOf(event, Date.now())}
      </button>
      {kind !== 'words' && (
        <p class="head">
          <span class="label">
            <span aria-hidden="true">{kind === 'tool' ? '' : GLYPH[said.tone]}</span> {said.label}
          </span>{' '}
          <bdi class={kind === 'tool' ? 'mono' : ''}>
            <Marked text={said.head} find={find} />
          </bdi>
          {kind === 'tool' && <Outcome row={row} />}
        </p>
      )}
      {said.body !== undefined && (
        <LongText
          text={said.body}
          lines={LINES[kind === 'words' ? 'words' : kind === 'tool' ? 'call' : isPassed(row) ? 'passed' : 'other']}
          find={find}
          mono={kind !== 'words'}
          open={open}
        />
      )}
      {row.result !== null && row.result.text !== '' && (
        <LongText text={row.result.text} lines={LINES.result} find={find} mono open={open} />
      )}
    </li>
  );
}

function Outcome({ row: { result } }: { readonly row: Row }) {
  if (result === null)
    return (
      <span class="outcome dim" role="img" aria-label="no answer yet">
        …
      </span>
    );
  return result.ok ? (
    <span class="outcome good toned" role="img" aria-label="succeeded">
      ✓
    </span>
  ) : (
    <span class="outcome bad toned" role="img" aria-label="failed">
      ✗
    </span>
  );
}

function isPassed({ event, said }: Row): boolean {
  return event.type === 'check' && said.tone === 'good';
}

function kindOf({ event }: Row): 'words' | 'tool' | 'iteration' | 'other' {
  if (event.type === 'select') return 'iteration';
  if (event.type !== 'agent') return 'other';
  if (event.event.type === 'text') return 'words';
  return event.event.type === 'tool-call' ? 'tool' : 'other';
}

/** One row of the transcript: an event, or a tool call with its result. */
interface Row {
  readonly line: number;
  readonly event: RalphEvent;
  readonly said: Said;
  /** The tool's answer; null while it works, or when the answer is not in the window. */
  readonly result: { readonly line: number; readonly ok: boolean; readonly text: string } | null;
}

/**
 * Rows of consecutive events. A result joins its call, wherever in the range that is; without its call it gets its own
 * row.
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
