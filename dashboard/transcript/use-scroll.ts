import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TranscriptWindow } from './open-transcript.ts';

/** So near an end the next page is asked for, in pixels. */
const NEAR = 900;
/** Whoever is so near the end sees the end. */
const AT_END = 32;

/**
 * Keeps what the reader looks at in its place while rows come and go above it, sticks to the end while they follow,
 * and goes where they asked to be brought. Call it while rendering: it looks at the old rows before they change.
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

/** Asks for more rows when the reader is near the end of those that are there. */
export function readOn(box: HTMLElement, transcript: TranscriptWindow): void {
  if (box.scrollTop < NEAR) void transcript.more('before');
  if (fromEnd(box) < NEAR) void transcript.more('after');
}

/** Whether the last row is in view. */
export function isAtEnd(box: HTMLElement): boolean {
  return fromEnd(box) < AT_END;
}

/** The line of the first row in view; null without rows. */
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
