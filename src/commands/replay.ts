import { type EventFile, openEventFile, projectAt } from '../adapters/workspace/index.ts';
import { UsageError } from '../contracts/index.ts';
import { systemClock } from '../platform/index.ts';
import { counted } from '../rules/text/index.ts';
import type { RunView } from '../rules/view/index.ts';
import {
  createPace,
  createReplay,
  type Io,
  KEYS_HELP,
  type Pace,
  paintFor,
  pressKey,
  type Replay,
  readKeys,
} from '../surfaces/terminal/index.ts';
import { chosenRun } from './shared/chosen-run.ts';
import { badValue, countOf, isOn, type RawFlags, textOf } from './shared/flags.ts';
import { openProject } from './shared/open.ts';
import { printLines } from './shared/print.ts';
import { refuseInsideAgent } from './shared/refuse-inside-agent.ts';

/** The longest real time a silence of the run may take, milliseconds. */
const LONGEST_SILENCE_MS = 2000;
const USUAL_SPEED = 10;
/** Lines of the log in memory at a time. */
const BATCH = 500;

export async function replay([wanted]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (isOn(flags, 'dashboard')) return replayInDashboard(wanted, flags, io);
  const speed = speedOf(flags) ?? (io.isTTY ? USUAL_SPEED : Number.POSITIVE_INFINITY);
  const from = countOf(flags, 'from');
  const { root } = (await openProject(flags, io)).repo;
  const view = await chosenRun(root, wanted);
  if (view === null) {
    printLines(io, ['no run yet; start one with: ralph run']);
    return 0;
  }
  const start = from === undefined ? 0 : startOf(view, from);
  const longestMs = isOn(flags, 'exact') ? Number.POSITIVE_INFINITY : LONGEST_SILENCE_MS;
  const pace = createPace({ clock: systemClock, speed, longestMs });
  const file = await openEventFile(root, view.run);
  const shown = createReplay({ io, verbose: isOn(flags, 'verbose'), pace });
  const releaseKeys = watchKeys(pace, io);
  try {
    const ended = await play(file, shown, start, pace);
    shown.close();
    if (ended) printLines(io, lastLines(view, shown.unreadable(), io));
    return 0;
  } finally {
    shown.close();
    releaseKeys();
    file.close();
  }
}

async function replayInDashboard(wanted: string | undefined, flags: RawFlags, io: Io): Promise<number> {
  // The address holds the token, which lets any reader approve stories.
  refuseInsideAgent('replay --dashboard', io.env);
  const { root, commonDir } = (await openProject(flags, io)).repo;
  const view = await chosenRun(root, wanted);
  if (view === null) throw new UsageError({ what: 'there is no run to replay', fix: ['start one with: ralph run'] });
  const { serveDashboard } = await import('./dashboard/dashboard.ts');
  const at = `#/run/${projectAt({ root, repository: commonDir }).id}/${view.run}/replay`;
  return serveDashboard({ port: null, host: null, open: false, newToken: false, beside: false, at }, flags, io);
}

/** Plays a log from line `start` to its end. @returns false when the user ended it earlier */
async function play(file: EventFile, shown: Replay, start: number, pace: Pace): Promise<boolean> {
  await file.advance((event, line) => line < start && shown.skip(event), { headlines: true });
  for (let line = start; line < file.lines(); line += BATCH) {
    for (const [, event] of await file.read(line, BATCH)) {
      await shown.show(event);
      if (pace.hasQuit()) return false;
    }
  }
  return true;
}

/** @throws UsageError when the run has no such iteration */
function startOf({ run, iterations }: RunView, wanted: number): number {
  const found = iterations.find(({ iteration }) => iteration === wanted);
  if (found) return found.from;
  throw new UsageError({
    what: `run ${run} has no iteration ${wanted}`,
    fix: [
      iterations.length === 0 ? 'it has none' : `it has ${iterations[0]?.iteration} to ${iterations.at(-1)?.iteration}`,
    ],
  });
}

function speedOf(flags: RawFlags): number | undefined {
  const text = textOf(flags, 'speed');
  if (text === undefined) return undefined;
  if (text === 'max') return Number.POSITIVE_INFINITY;
  const speed = /^\d{1,5}(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (speed <= 0) throw badValue('speed', text, 'a number, e.g. 10 or 0.5; max');
  return speed;
}

/**
 * Keys control the pace where there is a keyboard and a delay to control. @returns a function that releases the
 * keyboard
 */
function watchKeys(pace: Pace, io: Io): () => void {
  if (!io.isTTY || !process.stdin.isTTY || pace.speed() === Number.POSITIVE_INFINITY) return () => {};
  printLines(io, [paintFor(io)('dim', `replay: ${KEYS_HELP}`)]);
  const release = readKeys(process.stdin, (key) => pressKey(key, pace));
  // The terminal must not stay in raw mode.
  const onSignal = () => pace.quit();
  process.once('SIGTERM', onSignal).once('SIGHUP', onSignal);
  return () => {
    process.off('SIGTERM', onSignal).off('SIGHUP', onSignal);
    release();
  };
}

const GOES_ON = 'the run is running, or was cut off (ralph status)';
const BETWEEN = 'the run waits for its next turn (ralph stream status)';

function lastLines({ ended, betweenSince }: RunView, unreadable: number, io: Io): readonly string[] {
  const paint = paintFor(io);
  return [
    ...(ended === null ? ['', paint('warn', `the log ends here: ${betweenSince === null ? GOES_ON : BETWEEN}`)] : []),
    ...(unreadable > 0 ? [paint('dim', `${counted(unreadable, 'event')} of the log could not be shown`)] : []),
  ];
}
