import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { RunView } from '../../src/rules/view/index.ts';
import type { Moment } from './pages.ts';
import { Rail } from './rail.tsx';
import { RowView, rowsOf, shows } from './row.tsx';
import { ALL_KINDS, Toolbar, typesOf } from './toolbar.tsx';
import { firstLine, isAtEnd, readOn, useReading, useScroll } from './use-reading.ts';

interface TranscriptProps {
  readonly project: string;
  readonly run: string;
  /** Shows only events of this iteration. */
  readonly iteration?: number | null;
  readonly view: RunView;
  /** Shows only what existed at that moment; for replays. */
  readonly until?: Moment | null;
}

/** What the agent said and did, and the results. Any place of a log of any length is one request away. */
export function Transcript(props: TranscriptProps) {
  return <Reader key={`${props.project} ${props.run} ${props.iteration ?? ''}`} {...props} />;
}

function Reader({ project, run, iteration = null, view, until = null }: TranscriptProps) {
  const kinds = useSignal<readonly string[]>(ALL_KINDS);
  const words = useSignal('');
  const note = useSignal('');
  const scroller = useRef<HTMLElement>(null);
  const types = typesOf(kinds.value);
  const { transcript, follow, at, chosen, range } = useReading({ project, run, iteration, view, until, types });

  useScroll(scroller, transcript, follow.value);
  const window = transcript.window.value;
  const rows = useMemo(() => rowsOf(window.events), [window]);

  function scrolled(): void {
    const box = scroller.current;
    if (box === null) return;
    // A reader at the end who follows stays there while more of what is new arrives.
    follow.value = isAtEnd(box) && (follow.peek() || !transcript.window.peek().moreAfter);
    at.value = firstLine(box) ?? at.peek();
    readOn(box, transcript);
  }

  function toEnd(): void {
    chosen.value = null;
    follow.value = true;
    void transcript.toEnd();
  }

  function go(line: number): void {
    follow.value = false;
    at.value = line;
    void transcript.toLine(line);
  }

  async function find(text: string, backwards: boolean): Promise<boolean> {
    const isNext = words.peek() === text && chosen.peek() !== null;
    words.value = text;
    follow.value = false;
    const here = isNext ? (chosen.peek() ?? 0) : backwards ? range.to : range.from;
    const hit = await transcript.find(text, isNext && !backwards ? here + 1 : here, backwards);
    if (hit !== null) chosen.value = hit;
    return hit !== null;
  }

  function pressed(event: KeyboardEvent): void {
    if (event.target !== scroller.current || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Home') void transcript.toStart();
    else if (event.key === 'End') toEnd();
    else return;
    event.preventDefault();
  }

  async function copyLink(line: number): Promise<void> {
    chosen.value = line;
    note.value = await linkTo(line);
  }

  return (
    <section class="transcript stack-2" aria-label="Transcript">
      <Toolbar
        kinds={kinds.value}
        chooseKinds={(names) => {
          kinds.value = names;
        }}
        find={find}
        clear={() => {
          words.value = '';
          chosen.value = null;
        }}
      />
      {transcript.failed.value !== null && (
        <p class="bad toned" role="alert">
          {transcript.failed.value}{' '}
          <button type="button" class="button small" onClick={() => void transcript.again()}>
            Try again
          </button>
        </p>
      )}
      <div class="transcript-body panel">
        {/* biome-ignore-start lint/a11y: what scrolls is reached and moved by keyboard */}
        <section
          class="scroller"
          ref={scroller}
          aria-label="What happened"
          tabIndex={0}
          onScroll={scrolled}
          onKeyDown={pressed}
        >
          {/* biome-ignore-end lint/a11y: what scrolls is reached and moved by keyboard */}
          <ol>
            {rows.map((row) => (
              <RowView
                key={row.line}
                row={row}
                find={words.value}
                chosen={chosen.value !== null && shows(row, chosen.value)}
                copyLink={copyLink}
              />
            ))}
          </ol>
          {rows.length === 0 && !transcript.busy.value && transcript.failed.value === null && (
            <p class="empty">Nothing to show here{range.ended ? '' : ' yet'}.</p>
          )}
        </section>
        <Rail
          from={range.from}
          to={range.to}
          at={follow.value ? range.to : at.value}
          iterations={view.iterations}
          go={go}
        />
        {!follow.value && (
          <button type="button" class="button to-end" onClick={toEnd}>
            {range.ended || until !== null ? '↓ To the end' : '↓ Follow live'}
          </button>
        )}
      </div>
      <output class="hidden" aria-live="polite">
        {note.value}
      </output>
    </section>
  );
}

/**
 * Puts a link to a line of the shown page into the address bar and the clipboard. @returns a message for people about
 * it
 */
async function linkTo(line: number): Promise<string> {
  const [page] = location.href.split('?line=');
  const address = `${page}?line=${line}`;
  history.replaceState(null, '', address);
  try {
    await navigator.clipboard.writeText(address);
    return `Copied a link to line ${line}.`;
  } catch {
    // Without a secure context, or without permission, there is no clipboard.
    return `The link to line ${line} is in the address bar.`;
  }
}
