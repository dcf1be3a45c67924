import type { EventSink, RalphEvent } from '../../contracts/events.ts';
import { createCountdown } from './countdown.ts';
import { hang, widthOf } from './hang.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { Io } from './io.ts';
import { timeLeftLine } from './lines/gate.ts';
import { labelled } from './lines/page.ts';
import { renderLive, renderProgress } from './live-line.ts';
import { advance, INITIAL_STATE } from './log-state.ts';
import { paintFor } from './paint.ts';
import { renderEvent } from './render-event.ts';
import { displayWidth } from './width.ts';

const ERASE_LINE = '\r\u001b[2K';
const ERASE_ABOVE = '\u001b[1A\u001b[2K';
const FRAME_MS = 120;

export interface RunLogOptions {
  readonly io: Io;
  readonly verbose: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** Lines to add below those of an event: the demo explains what happens. */
  readonly comment?: (event: RalphEvent) => readonly string[];
  /** Others are told of on the same terminal. */
  readonly oneOfMany?: boolean;
  /** Put before the live line, one column a character: how fast a replay goes. */
  readonly badge?: () => string;
}

/** Erases a line; one that the terminal broke in several, because it was made narrower since, whole. */
function eraser(width: number, columns: number): string {
  const broken = Math.max(1, Math.ceil(width / Math.max(1, columns))) - 1;
  return ERASE_LINE + ERASE_ABOVE.repeat(broken);
}

/** An event sink that also holds something until it is closed. */
export type ClosableSink = EventSink & { close(): void };

/**
 * The log of a run on a terminal: lasting lines, and below them one live line that is erased before the next lasting
 * one. Where output is no terminal there are only the lasting lines; a wait, and an agent that works in silence, add
 * one now and then. Holds a timer until `close()`.
 */
export function createRunLog(options: RunLogOptions): ClosableSink {
  const { io, verbose, now, comment, oneOfMany = false, badge = () => '' } = options;
  const paint = paintFor(io);
  const live = io.isTTY && io.env['TERM'] !== 'dumb';
  let state = INITIAL_STATE;
  let shownWidth = 0;

  const erase = () => {
    if (shownWidth > 0) io.stdout.write(eraser(shownWidth, io.columns));
    shownWidth = 0;
  };
  const draw = () => {
    const mark = badge();
    const line = renderLive(state, now(), io.columns - mark.length, paint);
    if (line === null && mark === '') return erase();
    io.stdout.write(`${eraser(shownWidth, io.columns)}${paint('dim', mark)}${line ?? ''}`);
    shownWidth = displayWidth(mark) + widthOf(line ?? '');
  };
  // Drawn by the timer alone: a flood of events costs no more than a quiet minute.
  const timer = live ? setInterval(draw, FRAME_MS).unref() : null;
  const countdown = live
    ? null
    : createCountdown(now, (wait) => io.stdout.write(`${timeLeftLine(wait, now(), paint)}\n`));

  const heartbeat = live
    ? null
    : createHeartbeat(() => {
        const text = renderProgress(state, now());
        if (text !== null) io.stdout.write(`${labelled(paint, 'at work', paint('dim', text))}\n`);
      });

  const sink: EventSink = (event) => {
    const own = renderEvent(event, state, {
      paint,
      verbose,
      oneOfMany,
      columns: io.isTTY ? io.columns : Number.POSITIVE_INFINITY,
    });
    state = advance(state, event);
    countdown?.follow(state.waiting);
    const whole = [...own, ...(comment?.(event) ?? [])];
    heartbeat?.follow({ atWork: state.doing !== null && state.waiting === null, printed: whole.length > 0 });
    if (whole.length === 0) return;
    const lines = io.isTTY ? whole.flatMap((line) => hang(line, io.columns)) : whole;
    erase();
    io.stdout.write(`${lines.join('\n')}\n`);
  };
  return Object.assign(sink, {
    close: () => {
      if (timer) clearInterval(timer);
      countdown?.close();
      heartbeat?.close();
      erase();
    },
  });
}
