import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { RunView } from '../../src/rules/view/model.ts';
import { openTranscript, type TranscriptWindow } from './open-transcript.ts';
import { linesOf, linesUntil, type Moment } from './pages.ts';

/** A live log grows by thousands of lines a second: it is looked at again so often, in ms. */
const LOOK_MS = 250;

export interface ReadingOf {
  readonly project: string;
  readonly run: string;
  readonly iteration: number | null;
  readonly view: RunView;
  readonly until: Moment | null;
  /** Of the events that are shown. */
  readonly types: string;
}

/** Where somebody is in a log. */
export interface Reading {
  readonly transcript: TranscriptWindow;
  /** Whether the end stays in view. */
  readonly follow: Signal<boolean>;
  /** The first line in view. */
  readonly at: Signal<number>;
  /** The line that a link or a search led to. */
  readonly chosen: Signal<number | null>;
  readonly range: Range;
}

/** The lines that can be looked at, and whether no more will come. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly ended: boolean;
}

/** Opens a log where the reader will want to begin, and brings in what is added to it. */
export function useReading({ project, run, iteration, view, until, types }: ReadingOf): Reading {
  const follow = useSignal(false);
  const chosen = useSignal<number | null>(null);
  const at = useSignal(0);
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
      // Another choice of what to see: the place stays.
      void transcript.toLine(at.peek());
    } else if (iteration !== null && range.ended) void transcript.toStart();
    else {
      follow.value = true;
      void transcript.toEnd();
    }
    return transcript.close;
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

/** Looks again when the log has grown, a few times a second at most; when it got shorter, a replay went back. */
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

/** Lines of the log that the view has seen, as far as iterations tell. */
function linesSeen(view: RunView): number {
  return view.iterations.at(-1)?.to ?? 0;
}

/** `#/run/…/transcript?line=1234` */
function lineInAddress(): number | null {
  const line = new URLSearchParams(location.hash.split('?')[1] ?? '').get('line');
  return line !== null && /^\d{1,12}$/.test(line) ? Number(line) : null;
}
