import type { RalphEvent } from '../../../contracts/events.ts';
import { hasShape } from '../../../rules/view/event-shape.ts';
import type { RunFold } from '../../../rules/view/fold.ts';
import { hang } from '../hang.ts';
import type { Io } from '../io.ts';
import { paintFor } from '../paint.ts';
import { createRunLog } from '../run-log.ts';
import { renderSummary } from '../summary.ts';
import type { Pace } from './pace.ts';
import { summaryOfView } from './summary-of-view.ts';

export interface ReplayOptions {
  readonly io: Io;
  readonly verbose: boolean;
  readonly pace: Pace;
  /** What the events amount to so far: the summary is of it. */
  readonly fold: RunFold;
}

/** Shows the events of a run once more, as the run showed them. */
export interface Replay {
  /** Takes in what lies before the part to be shown; of it only the head of the run appears. */
  skip(event: RalphEvent, line: number): void;
  /** Waits for the event's time, then shows it. */
  show(event: RalphEvent, line: number): Promise<void>;
  /** Events that could not be shown. */
  unreadable(): number;
  close(): void;
}

/** A replay on `io`, at the pace given. Holds a timer until `close()`. */
export function createReplay({ io, verbose, pace, fold }: ReplayOptions): Replay {
  let isMuted = false;
  let unreadable = 0;
  const stdout = { write: (text: string) => isMuted || io.stdout.write(text) };
  const own: Io = {
    cwd: io.cwd,
    env: io.env,
    stdout,
    stderr: io.stderr,
    isTTY: io.isTTY,
    get columns() {
      return io.columns;
    },
  };
  const log = createRunLog({ io: own, verbose, now: pace.now, badge: () => badgeOf(pace) });

  function take(event: RalphEvent, line: number): void {
    if (!hasShape(event)) {
      unreadable += 1;
      return;
    }
    try {
      fold.see(event, line);
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
    skip(event, line) {
      isMuted = event.type !== 'run-start';
      take(event, line);
      isMuted = false;
    },
    async show(event, line) {
      await pace.until(Date.parse(event.ts));
      if (pace.hasQuit()) return;
      take(event, line);
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
