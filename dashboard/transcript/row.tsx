import { LongText } from './long-text.tsx';
import { Marked } from './marked.tsx';
import type { Row } from './rows.ts';
import { timeOf } from './say.ts';

export interface RowProps {
  readonly row: Row;
  /** Words that stand out. */
  readonly find: string;
  /** Whether the reader was brought here. */
  readonly chosen: boolean;
  readonly copyLink: (line: number) => void;
}

/** Glyphs beside the colours of tones. */
const GLYPH = { good: '✓', bad: '✗', warn: '!', accent: '▸', dim: '·', plain: '' } as const;

/** Lines that are shown of what is long; nobody reads what a check printed that went well. */
const LINES = { words: 40, result: 3, passed: 0, other: 8 } as const;

/** Of one event, or of a tool call with its result. */
export function RowView({ row, find, chosen, copyLink }: RowProps) {
  const { said, event, line } = row;
  const kind = kindOf(row);
  const open = chosen && find !== '';
  return (
    <li class={`row ${kind} tone-${said.tone}${chosen ? ' chosen' : ''}`} data-line={line}>
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
          lines={
            kind === 'words' ? LINES.words : event.type === 'check' && said.tone === 'good' ? LINES.passed : LINES.other
          }
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
    <span class="outcome good" role="img" aria-label="went well">
      ✓
    </span>
  ) : (
    <span class="outcome bad" role="img" aria-label="failed">
      ✗
    </span>
  );
}

/** What the row looks like. */
function kindOf({ event }: Row): 'words' | 'tool' | 'iteration' | 'other' {
  if (event.type === 'select') return 'iteration';
  if (event.type !== 'agent') return 'other';
  if (event.event.type === 'text') return 'words';
  return event.event.type === 'tool-call' ? 'tool' : 'other';
}
