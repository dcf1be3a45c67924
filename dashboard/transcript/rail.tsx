import { useRef } from 'preact/hooks';
import type { IterationView } from '../../src/rules/view/index.ts';

interface RailProps {
  /** The first line, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly iterations: readonly IterationView[];
  readonly go: (line: number) => void;
}

const MOST_MARKS = 120;
/** Minimum time between two places of a drag: each is a request to the server. */
const DRAG_MS = 120;

/** Lines that a key moves by, as a share of the log. */
const KEYS: Readonly<Record<string, number>> = {
  ArrowUp: -0.01,
  ArrowDown: 0.01,
  PageUp: -0.1,
  PageDown: 0.1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/**
 * The scroll bar of a log of any length: a place on it is a line, not a pixel. The browser's own cannot be that long,
 * and would need the height of a million rows.
 */
export function Rail({ from, to, at, iterations, go }: RailProps) {
  const rail = useRef<HTMLDivElement>(null);
  const dragged = useRef(0);
  const span = Math.max(1, to - from);
  const share = Math.min(1, Math.max(0, (at - from) / span));
  const marked = iterations.filter((one) => one.from >= from && one.from < to);
  const every = Math.ceil(marked.length / MOST_MARKS);
  const now = marked.findLast((one) => one.from <= at);

  const goTo = (line: number) => go(Math.round(Math.min(to - 1, Math.max(from, line))));

  function pointed(event: PointerEvent): void {
    const box = rail.current?.getBoundingClientRect();
    if (box === undefined || (event.type === 'pointermove' && event.buttons !== 1)) return;
    if (event.type === 'pointermove' && event.timeStamp - dragged.current < DRAG_MS) return;
    dragged.current = event.timeStamp;
    rail.current?.setPointerCapture(event.pointerId);
    goTo(from + ((event.clientY - box.top) / box.height) * span);
  }

  function pressed(event: KeyboardEvent): void {
    const step = KEYS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    goTo(Number.isFinite(step) ? at + Math.sign(step) * Math.max(1, Math.abs(step) * span) : step);
  }

  return (
    <div
      ref={rail}
      class="rail"
      role="slider"
      tabIndex={0}
      aria-label="Position in the log"
      aria-orientation="vertical"
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={Math.min(to, Math.max(from, at))}
      aria-valuetext={`line ${at.toLocaleString('en')} of ${to.toLocaleString('en')}${now ? `, iteration ${now.iteration}` : ''}`}
      onPointerDown={pointed}
      onPointerMove={pointed}
      onKeyDown={pressed}
    >
      {marked
        .filter((_, i) => i % every === 0)
        .map((one) => (
          <span key={one.iteration} class="mark" style={{ top: `${(100 * (one.from - from)) / span}%` }} />
        ))}
      <span class="thumb" style={{ top: `${100 * share}%` }} />
    </div>
  );
}
