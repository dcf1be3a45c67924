import { redactedJson } from '../../adapters/workspace/index.ts';
import type { EventSink, RalphEvent } from '../../contracts/index.ts';
import { oneLine, type Tone } from '../../rules/text/index.ts';
import { foldRun } from '../../rules/view/index.ts';
import { type Io, type Output, withStdout } from './io.ts';
import { displayWidth, hang, padEnd, truncate, widthOf } from './layout.ts';
import { timeLeftLine } from './lines/gate.ts';
import { labelled, timeOfDay } from './lines/page.ts';
import { currentWait, isAtWork, renderLive, renderProgress } from './live-line.ts';
import { advance, INITIAL_STATE } from './log-state.ts';
import { type Paint, paintFor } from './paint.ts';
import { createCountdown, createHeartbeat } from './reminders.ts';
import { renderEvent } from './render-event.ts';

const ERASE_LINE = '\r\u001b[2K';
const ERASE_ABOVE = '\u001b[1A\u001b[2K';
const FRAME_MS = 120;

interface RunLogOptions {
  readonly io: Io;
  readonly verbose: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** Lines to add below those of an event: the demo explains events. */
  readonly comment?: (event: RalphEvent) => readonly string[];
  /** Other runs are reported on the same terminal. */
  readonly oneOfMany?: boolean;
  /** Placed before the live line, one column per character: the speed of a replay. */
  readonly badge?: () => string;
}

/** Erases a line, also one that a since narrowed terminal broke into several. */
function eraser(width: number, columns: number): string {
  const broken = Math.max(1, Math.ceil(width / Math.max(1, columns))) - 1;
  return ERASE_LINE + ERASE_ABOVE.repeat(broken);
}

export type ClosableSink = EventSink & { close(): void };

/**
 * The log of a run on a terminal: lasting lines, and below them one live line that is erased before the next lasting
 * one. Without a terminal there are only the lasting lines; a wait, and a silent agent, add one now and then. Holds a
 * timer until `close()`.
 */
export function createRunLog(options: RunLogOptions): ClosableSink {
  const { io, verbose, now, comment, oneOfMany = false, badge = () => '' } = options;
  const paint = paintFor(io);
  const live = io.isTTY && io.env['TERM'] !== 'dumb';
  const fold = foldRun('');
  let state = INITIAL_STATE;
  let shownWidth = 0;

  const erase = () => {
    if (shownWidth > 0) io.stdout.write(eraser(shownWidth, io.columns));
    shownWidth = 0;
  };
  const draw = () => {
    const mark = badge();
    const line = renderLive(fold.view(), now(), io.columns - mark.length, paint);
    if (line === null && mark === '') return erase();
    io.stdout.write(`${eraser(shownWidth, io.columns)}${paint('dim', mark)}${line ?? ''}`);
    shownWidth = displayWidth(mark) + widthOf(line ?? '');
  };
  // Drawn by the timer alone: a flood of events costs no more than a quiet minute.
  const timer = live ? setInterval(draw, FRAME_MS).unref() : null;
  const isStamped = !io.isTTY;
  /** Where the output may be read much later, every line says when. */
  const stamped = (lines: readonly string[], ts: string) =>
    isStamped ? lines.map((line) => (line === '' ? '' : `${paint('dim', timeOfDay(ts))} ${line}`)) : lines;
  const write = (line: string) => io.stdout.write(`${stamped([line], new Date(now()).toISOString()).join('\n')}\n`);
  const countdown = live ? null : createCountdown(now, (wait) => write(timeLeftLine(wait, now(), paint)));

  const heartbeat = live
    ? null
    : createHeartbeat(() => {
        const text = renderProgress(fold.view(), now());
        if (text !== null) write(labelled(paint, 'at work', paint('dim', text)));
      });

  const sink: EventSink = (event) => {
    const own = renderEvent(event, state, {
      paint,
      verbose,
      oneOfMany,
      isStamped,
      columns: io.isTTY ? io.columns : Number.POSITIVE_INFINITY,
    });
    state = advance(state, event);
    fold.see(event, 0);
    // A run of a night has thousands.
    if (event.type === 'iteration-end') fold.takeEnded();
    countdown?.follow(currentWait(fold.now()));
    const whole = [...own, ...(comment?.(event) ?? [])];
    heartbeat?.follow({ atWork: isAtWork(fold.now()), printed: whole.length > 0 });
    if (whole.length === 0) return;
    const lines = io.isTTY ? whole.flatMap((line) => hang(line, io.columns)) : stamped(whole, event.ts);
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

interface PrefixedLogOptions {
  readonly io: Io;
  readonly verbose: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** The runs whose lines are mixed, in the order of their colours. */
  readonly names: readonly string[];
}

/** Colours distinguish the names; the text keeps its own. */
const TONES: readonly Tone[] = ['accent', 'good', 'warn', 'bad', 'strong'];
const LONGEST_NAME = 16;
/** On a narrow terminal the names are cut to leave room for the text. */
const NAME_SHARE = 0.25;

/**
 * The log of several runs on one terminal: each line names its run. There is no live line, because only one of them
 * could have it; waits and silence are reported now and then, as without a terminal.
 * @returns the sink of the run with this name; each holds timers until its `close()`
 */
export function prefixedLog({ io, verbose, now, names }: PrefixedLogOptions): (name: string) => ClosableSink {
  const paint = paintFor(io);
  return (name) => createRunLog({ io: prefixed(io, prefixOf(names, name, io, paint)), verbose, now, oneOfMany: true });
}

/** A line about one of several runs that no event reports: it was stopped, it waits. */
export function prefixedLine(names: readonly string[], name: string, text: string, io: Io): string {
  return `${prefixOf(names, name, io, paintFor(io)).text}${text}`;
}

interface Prefix {
  readonly text: string;
  readonly width: number;
}

function prefixOf(names: readonly string[], name: string, io: Io, paint: Paint): Prefix {
  const shown = names.map(oneLine);
  const longest = Math.max(0, ...shown.map((one) => Math.min(one.length, LONGEST_NAME)));
  const room = io.isTTY ? Math.max(4, Math.floor(io.columns * NAME_SHARE)) : LONGEST_NAME;
  const width = Math.min(longest, room);
  const tone = TONES[Math.max(0, names.indexOf(name)) % TONES.length] ?? 'accent';
  const label = padEnd(truncate(oneLine(name), width), width);
  return { text: `${paint(tone, label)} ${paint('dim', '│')} `, width: width + 3 };
}

/** An output on which each line begins with the prefix. */
function prefixed(io: Io, prefix: Prefix): Io {
  const stdout: Output = {
    write: (text) => {
      // Blank lines separate iterations; here they would separate different runs.
      const lines = text.split('\n').filter((line) => line !== '');
      if (lines.length > 0) io.stdout.write(lines.map((line) => `${prefix.text}${line}\n`).join(''));
    },
  };
  // A dumb terminal has no live line, but may have colours.
  const env = { ...io.env, TERM: 'dumb', FORCE_COLOR: paintFor(io)('strong', 'x') === 'x' ? '0' : '1' };
  return withStdout(io, stdout, { env, columns: () => Math.max(20, io.columns - prefix.width) });
}

/** `--json`: every event as one line of JSON, exactly as in the event log: without secrets. @param beside fields before it */
export function jsonSink(io: Io, beside: object = {}): ClosableSink {
  const sink = (event: object) => void io.stdout.write(`${redactedJson({ ...beside, ...event })}\n`);
  return Object.assign(sink, { close: () => {} });
}
