import { hasShape, type RalphEvent } from '../../contracts/index.ts';
import type { Clock } from '../../platform/index.ts';
import { foldRun, type RunView } from '../../rules/view/index.ts';
import { type Io, withStdout } from './io.ts';
import { hang } from './layout.ts';
import type { Event } from './lines/page.ts';
import { paintFor } from './paint.ts';
import { createRunLog } from './run-log.ts';
import { renderSummary, type SummaryView } from './summary.ts';

interface ReplayOptions {
  readonly io: Io;
  readonly verbose: boolean;
  readonly pace: Pace;
}

export type Replay = ReturnType<typeof createReplay>;

/** A replay on `io`, at the given pace. Holds a timer until `close()`. */
export function createReplay({ io, verbose, pace }: ReplayOptions) {
  let isMuted = false;
  let unreadable = 0;
  const stdout = { write: (text: string) => isMuted || io.stdout.write(text) };
  const fold = foldRun('');
  const log = createRunLog({ io: withStdout(io, stdout), verbose, now: pace.now, badge: () => badgeOf(pace) });

  function take(event: RalphEvent): void {
    if (!hasShape(event)) {
      unreadable += 1;
      return;
    }
    try {
      fold.see(event, 0);
      log(event);
      if (event.type === 'run-end') printSummary(event);
    } catch {
      // Logs lie where agents can write, and later versions know more kinds of events.
      unreadable += 1;
    }
  }

  function printSummary(end: Extract<RalphEvent, { type: 'run-end' }>): void {
    const lines = renderSummary(summaryOfView(fold.view(), end), { paint: paintFor(io), columns: io.columns });
    const fitted = io.isTTY ? lines.flatMap((line) => hang(line, io.columns)) : lines;
    stdout.write(fitted.map((line) => `${line}\n`).join(''));
  }

  return {
    /** Takes in events before the shown part; of these only the head of the run appears. */
    skip(event: RalphEvent): void {
      isMuted = event.type !== 'run-start';
      take(event);
      isMuted = false;
    },
    async show(event: RalphEvent): Promise<void> {
      await pace.until(Date.parse(event.ts));
      if (pace.hasQuit()) return;
      take(event);
      if (event.type === 'select') pace.arrive();
    },
    unreadable: () => unreadable,
    close: () => log.close(),
  };
}

function badgeOf(pace: Pace): string {
  if (pace.speed() === Number.POSITIVE_INFINITY) return '';
  return pace.paused() ? '[paused] ' : `[${pace.speed()}×] `;
}

/** The time of a replayed run, which runs faster than ours, pauses, or jumps. */
export type Pace = ReturnType<typeof createPace>;

interface PaceOptions {
  readonly clock: Clock;
  readonly speed: number;
  /** Longest wait in our own ms: silence is cut to it. `Infinity` cuts none. */
  readonly longestMs: number;
}

/** Timers are limited to little more than three weeks: a longer sleep is split. */
const LONGEST_SLEEP = 3_600_000;

/** A pace that starts at the first moment it is asked to wait for. */
export function createPace({ clock, speed: first, longestMs }: PaceOptions) {
  let speed = first;
  let isPaused = false;
  let isHurrying = false;
  let isQuit = false;
  let change = new AbortController();
  /** From here on the run's time goes `rate` times as fast as ours, up to `target`. */
  let leg = { real: 0, run: 0, rate: 0, target: Number.NEGATIVE_INFINITY };

  const now = () => Math.min(leg.target, leg.run + (clock.now() - leg.real) * leg.rate);

  function head(target: number, rate: number): void {
    leg = { real: clock.now(), run: now(), rate, target };
  }

  function changed(): void {
    // The time so far passed at the old pace.
    head(leg.target, 0);
    change.abort();
    change = new AbortController();
  }

  async function until(epochMs: number): Promise<void> {
    if (leg.target === Number.NEGATIVE_INFINITY) leg = { real: clock.now(), run: epochMs, rate: 0, target: epochMs };
    while (!isQuit && (isPaused || (!isHurrying && speed !== Number.POSITIVE_INFINITY && now() < epochMs))) {
      const left = epochMs - now();
      const waitMs = Math.min(left / speed, longestMs);
      head(epochMs, isPaused ? 0 : left / waitMs);
      await clock.sleep(isPaused ? LONGEST_SLEEP : Math.min(waitMs, LONGEST_SLEEP), change.signal);
    }
    leg = { real: clock.now(), run: epochMs, rate: 0, target: epochMs };
  }

  return {
    /** Epoch ms in the run. */
    now,
    /** Waits until that time in the run; returns at once for a past one. */
    until,
    /** The speed factor; `Infinity` does not wait at all. */
    speed: () => speed,
    setSpeed(next: number) {
      speed = next;
      changed();
    },
    paused: () => isPaused,
    setPaused(next: boolean) {
      isPaused = next;
      changed();
    },
    /** Continues without waiting until `arrive`. Ends a pause. */
    hurry() {
      isHurrying = true;
      isPaused = false;
      changed();
    },
    arrive() {
      isHurrying = false;
    },
    /** Ends all waits, now and later. */
    quit() {
      isQuit = true;
      changed();
    },
    hasQuit: () => isQuit,
  };
}

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 500, 1000] as const;

export const KEYS_HELP = 'space pauses · + and - change the speed · n goes to the next iteration · q ends';

/** What a key does to the pace of a replay. */
export function pressKey(key: string, pace: Pace): void {
  switch (key) {
    case ' ':
      pace.setPaused(!pace.paused());
      break;
    case '+':
    case '=':
      pace.setSpeed(SPEEDS.find((speed) => speed > pace.speed()) ?? 1000);
      break;
    case '-':
      pace.setSpeed(SPEEDS.findLast((speed) => speed < pace.speed()) ?? 1);
      break;
    case 'n':
      pace.hurry();
      break;
    case 'q':
    // Ctrl-C and Ctrl-D arrive as characters while the terminal is in raw mode.
    case '\u0003':
    case '\u0004':
      pace.quit();
  }
}

/** The terminal's keyboard, as far as a replay needs it. */
type Keyboard = Pick<NodeJS.ReadStream, 'off' | 'on' | 'pause' | 'resume' | 'setEncoding' | 'setRawMode'>;

/** Passes on each key as it is pressed. @returns a function that releases the keyboard */
export function readKeys(keyboard: Keyboard, onKey: (key: string) => void): () => void {
  const onData = (keys: string) => {
    // An arrow is an escape sequence: none of its characters is a pressed key.
    if (!keys.startsWith('\u001b')) for (const key of keys) onKey(key);
  };
  keyboard.setRawMode(true);
  keyboard.setEncoding('utf8');
  keyboard.on('data', onData);
  keyboard.resume();
  return () => {
    keyboard.off('data', onData);
    keyboard.setRawMode(false);
    keyboard.pause();
  };
}

/** The summary of a run at its end, from its events. Pure. */
function summaryOfView(view: RunView, end: Event<'run-end'>): SummaryView {
  const { branch, lonePrompt } = view;
  const concluded = view.iterations.filter(({ verdict }) => verdict !== null);
  const toldCost = new Set(concluded.flatMap(({ story, costUsd }) => (costUsd === null ? [] : [story])));
  return {
    run: end.run,
    reason: end.reason,
    exitCode: end.exitCode,
    detail: end.detail ?? '',
    durationMs: end.durationMs,
    iterations: concluded.length,
    // The event also says 0 when no agent reported its cost.
    costUsd: toldCost.size === 0 ? null : end.costUsd,
    usage: end.usage,
    branch,
    lonePrompt,
    stories: view.stories.map(({ id, title, state, blocked, iterations, costUsd }) => ({
      id,
      title,
      state,
      ...(blocked === null ? {} : { note: blocked }),
      iterations,
      costUsd: toldCost.has(id) ? costUsd : null,
    })),
    commits: concluded.flatMap(({ commit }) => (commit ? [{ commit: commit.id, subject: commit.subject }] : [])),
    needs: end.needs ?? [],
    rescues: concluded.filter(({ rescue }) => rescue !== null).length,
  };
}
