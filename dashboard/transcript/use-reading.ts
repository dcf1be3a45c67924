import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { RunView } from '../../src/rules/view/index.ts';
import { openTranscript, type TranscriptWindow } from './open-transcript.ts';
import { linesOf, linesUntil, type Moment } from './pages.ts';

/** A live log grows by thousands of lines a second: it is read at this interval, in ms. */
const LOOK_MS = 250;

interface ReadingOf {
  readonly project: string;
  readonly run: string;
  readonly iteration: number | null;
  readonly view: RunView;
  readonly until: Moment | null;
  /** Of the shown events. */
  readonly types: string;
}

/** The reader's position in a log. */
interface Reading {
  readonly transcript: TranscriptWindow;
  /** Whether the end stays in view. */
  readonly follow: Signal<boolean>;
  readonly at: Signal<number>;
  /** The line that a link or a search led to. */
  readonly chosen: Signal<number | null>;
  readonly range: Range;
}

/** The available lines, and whether no more will come. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly ended: boolean;
}

/** Where readers left logs that they did not follow, by project, run and iteration. */
const places = new Map<string, number>();

/** Opens a log where the reader was, or will want to begin, and loads what is added to it. */
export function useReading({ project, run, iteration, view, until, types }: ReadingOf): Reading {
  const follow = useSignal(false);
  const chosen = useSignal<number | null>(null);
  const place = `${project} ${run} ${iteration ?? ''}`;
  const at = useSignal(until === null ? (places.get(place) ?? 0) : 0);
  const moment = useRef<Moment | null>(until);
  moment.current = until;

  const transcript = useMemo(() => {
    const now = () => moment.current;
    return openTranscript(linesUntil(linesOf(project, run), now), { iteration, types }, now);
  }, [project, run, iteration, types]);
  const range = rangeOf(view, iteration, until, transcript.total.value);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it opens once; whether it has ended is asked then.
  useEffect(() => {
    const linked = lineInAddress();
    if (linked !== null && chosen.peek() === null) {
      chosen.value = linked;
      void transcript.toLine(linked);
    } else if (at.peek() > 0 && !follow.peek()) {
      // The filter changed, or the reader is back: the place stays.
      void transcript.toLine(at.peek());
    } else if (iteration !== null && range.ended) void transcript.toStart();
    else {
      follow.value = true;
      void transcript.toEnd();
    }
    return () => {
      transcript.close();
      if (until !== null) return;
      if (follow.peek()) places.delete(place);
      else places.set(place, at.peek());
    };
  }, [transcript]);

  useEffect(() => {
    // A link to a line of the log that is open already.
    const go = () => {
      const linked = lineInAddress();
      if (linked === null) return;
      follow.value = false;
      chosen.value = linked;
      void transcript.toLine(linked);
    };
    addEventListener('hashchange', go);
    return () => removeEventListener('hashchange', go);
  }, [transcript, follow, chosen]);

  useGrowth(transcript, follow, until?.line ?? linesSeen(view), view.lastEventAt);
  return { transcript, follow, at, chosen, range };
}

/** Reads again when the log has grown, a few times a second at most; when it got shorter, a replay went back. */
function useGrowth(transcript: TranscriptWindow, follow: Signal<boolean>, lines: number, lastEventAt: number): void {
  const known = useRef({ lines, lastEventAt });
  const look = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => {
    const before = known.current;
    known.current = { lines, lastEventAt };
    if (lines < before.lines) void transcript.toEnd();
    else if (lines !== before.lines || lastEventAt !== before.lastEventAt) {
      look.current ??= setTimeout(() => {
        look.current = null;
        void transcript.grown(known.current.lines, follow.peek());
      }, LOOK_MS);
    }
  }, [lines, lastEventAt, transcript, follow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a timer of the log before must not speak for this one.
  useEffect(
    () => () => {
      if (look.current !== null) clearTimeout(look.current);
      look.current = null;
    },
    [transcript],
  );
}

function rangeOf(view: RunView, iteration: number | null, until: Moment | null, total: number): Range {
  const to = until?.line ?? Math.max(linesSeen(view), total);
  const one = iteration === null ? undefined : view.iterations.find((each) => each.iteration === iteration);
  if (one === undefined) return { from: 0, to: Math.max(1, to), ended: view.ended !== null };
  const ended = one.endedAt !== null;
  return { from: one.from, to: Math.max(one.from + 1, ended ? Math.min(one.to, to) : to), ended };
}

/** Lines of the log that the view has seen, according to its iterations. */
function linesSeen(view: RunView): number {
  return view.iterations.at(-1)?.to ?? 0;
}

/** `#/run/…/transcript?line=1234` */
function lineInAddress(): number | null {
  const line = new URLSearchParams(location.hash.split('?')[1] ?? '').get('line');
  return line !== null && /^\d{1,12}$/.test(line) ? Number(line) : null;
}

/** This near an end the next page is requested, in pixels. */
const NEAR = 900;
/** A reader this near the end counts as at the end, in pixels. */
const AT_END = 32;

/**
 * Keeps the reader's rows in place while rows come and go above them, sticks to the end while it is followed, and
 * scrolls to requested lines. Call it during rendering: it measures the old rows before they change.
 */
export function useScroll(
  scroller: RefObject<HTMLElement | null>,
  transcript: TranscriptWindow,
  follow: boolean,
): void {
  const reached = useRef<object | null>(null);
  const anchor = scroller.current === null ? null : anchorOf(scroller.current);
  const window = transcript.window.value;
  const target = transcript.target.value;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the anchor is of the rows before this very change.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    if (target !== null && target !== reached.current) {
      reached.current = target;
      bring(box, target);
    } else if (follow) box.scrollTop = box.scrollHeight;
    else if (anchor !== null) restore(box, anchor);
    readOn(box, transcript);
  }, [window, target, follow, transcript]);
}

/** Requests more rows when the reader is near the end of the loaded ones. */
export function readOn(box: HTMLElement, transcript: TranscriptWindow): void {
  if (box.scrollTop < NEAR) void transcript.more('before');
  if (fromEnd(box) < NEAR) void transcript.more('after');
}

export function isAtEnd(box: HTMLElement): boolean {
  return fromEnd(box) < AT_END;
}

export function firstLine(box: HTMLElement): number | null {
  return anchorOf(box)?.line ?? null;
}

function fromEnd(box: HTMLElement): number {
  return box.scrollHeight - box.scrollTop - box.clientHeight;
}

interface Anchor {
  readonly line: number;
  /** Pixels from the top of the view to the row's. */
  readonly offset: number;
}

function anchorOf(box: HTMLElement): Anchor | null {
  const top = box.getBoundingClientRect().top;
  for (const row of box.querySelectorAll<HTMLElement>('[data-line]')) {
    const { bottom, top: rowTop } = row.getBoundingClientRect();
    if (bottom > top) return { line: Number(row.dataset['line']), offset: rowTop - top };
  }
  return null;
}

function restore(box: HTMLElement, { line, offset }: Anchor): void {
  const row = rowAt(box, line);
  if (row === null) return;
  box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - offset;
}

function bring(box: HTMLElement, { line, at }: { readonly line: number; readonly at: 'line' | 'start' | 'end' }): void {
  if (at === 'start') box.scrollTop = 0;
  else if (at === 'end') box.scrollTop = box.scrollHeight;
  else {
    const row = rowAt(box, line);
    if (row !== null) box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - 60;
  }
}

/** The row of a line, or the last one before it: a line without words has no row. */
function rowAt(box: HTMLElement, line: number): HTMLElement | null {
  let found: HTMLElement | null = null;
  for (const row of box.querySelectorAll<HTMLElement>('[data-line]')) {
    if (Number(row.dataset['line']) > line) break;
    found = row;
  }
  return found;
}
