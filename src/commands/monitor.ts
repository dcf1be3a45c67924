import { openGit } from '../adapters/git/index.ts';
import type { Git } from '../adapters/git/port.ts';
import { listRuns } from '../adapters/workspace/events/own-runs.ts';
import { knownTrees } from '../adapters/workspace/projects/known-trees.ts';
import { projectAt } from '../adapters/workspace/projects/projects.ts';
import { readSteering } from '../adapters/workspace/records/steering-file.ts';
import type { ProjectInfo } from '../contracts/catalogue.ts';
import { UsageError } from '../contracts/errors.ts';
import { ExitCode } from '../contracts/model.ts';
import { systemClock } from '../platform/clock.ts';
import { nearest } from '../rules/nearest.ts';
import { steeringOf } from '../rules/steering/steering.ts';
import type { Asked } from '../surfaces/monitor/scene.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { countOf, isOn, type RawFlags, textOf } from './shared/flags.ts';
import { openProject } from './shared/open.ts';
import { printLines } from './shared/print.ts';
import { operate } from './steer/operate.ts';

/** How soon it is noticed that the run beside which this was started is gone. */
const PARENT_LOOK_MS = 250;

/** `ralph monitor [--run RUN] [--all]` */
export async function monitor(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (!io.isTTY || process.stdin.isTTY !== true) throw noTerminal();
  const run = textOf(flags, 'run') ?? null;
  const streams = await streamsFor(flags, io);
  if (run !== null) await needRun(streams.all[streams.selected]?.root ?? '', run);
  const { showMonitor } = await import('../surfaces/monitor/monitor.ts');
  const ending = new AbortController();
  const onSignal = () => ending.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  // The terminal is gone, or the shell has it again, as after the death of the run beside which this was started.
  process.stdin.on('error', onSignal);
  const beside = countOf(flags, 'beside');
  const watch =
    beside === undefined ? undefined : setInterval(() => process.ppid !== beside && onSignal(), PARENT_LOOK_MS);
  try {
    const left = await showMonitor(
      {
        streams: streams.all,
        listStreams: streams.list,
        selected: streams.selected,
        run,
        operate,
        askedOf: askedReader(),
      },
      { io, now: systemClock.now, signal: ending.signal },
    );
    // Beside a run Ctrl-C means the run: its process ends it, in order.
    if (left.interrupted && beside !== undefined) return ExitCode.interrupted;
    // Nobody left it: the run beside which it was started has ended, or taken it away.
    const wasTaken = beside !== undefined && ending.signal.aborted;
    if (left.live && !wasTaken)
      printLines(io, [`detached; run ${left.run} goes on. ralph monitor shows it again, ralph stop ends it`]);
    return 0;
  } finally {
    clearInterval(watch);
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** What runs were asked for, by the file in which it stands. Where that is in a work tree is found out once. */
function askedReader(): (root: string, run: string) => Promise<Asked | null> {
  const folders = new Map<string, string>();
  return async (root, run) => {
    const stateDir = folders.get(root) ?? (await openGit(root)).repo.stateDir;
    folders.set(root, stateDir);
    const { stop, paused } = steeringOf(await readSteering(stateDir), [], run);
    if (stop !== null) return stop === 'now' ? 'stop-now' : 'stop';
    return paused ? 'pause' : null;
  };
}

function noTerminal(): UsageError {
  return new UsageError({
    what: 'ralph monitor needs a terminal for its screen and its keys',
    mend: ['`ralph status` prints where it stands', '`ralph log` prints what happened'],
  });
}

interface Streams {
  readonly all: readonly ProjectInfo[];
  /** Those there are at the time it is called. */
  readonly list: () => Promise<readonly ProjectInfo[]>;
  readonly selected: number;
}

/** The work trees to choose from: those of this repository, or all that had runs. @throws UsageError for none */
async function streamsFor(flags: RawFlags, io: Io): Promise<Streams> {
  const isAll = isOn(flags, 'all');
  // With --all from anywhere: where this is no repository, the first of the others is shown.
  const git = isAll ? await openProject(flags, io).catch(() => null) : await openProject(flags, io);
  const own = git === null ? null : ownOf(git);
  const list = async () => {
    const known = await knownTrees(io.env, own === null ? [] : [own]);
    return own === null || isAll ? known : known.filter(({ repository }) => repository === own.repository);
  };
  const all = await list();
  if (all.length === 0)
    throw new UsageError({ what: 'no run was started on this machine yet', mend: ['start one with: ralph run'] });
  return { all, list, selected: own === null ? 0 : indexOf(all, own.root) };
}

function ownOf({ repo: { root, commonDir } }: Git): ProjectInfo {
  return projectAt({ root, repository: commonDir });
}

function indexOf(all: readonly ProjectInfo[], root: string): number {
  return Math.max(
    0,
    all.findIndex((one) => one.root === root),
  );
}

/** @throws UsageError naming the nearest run, when there is none of this name */
async function needRun(root: string, run: string): Promise<void> {
  const runs = await listRuns(root);
  if (runs.includes(run)) return;
  const near = nearest(run, runs);
  throw new UsageError({
    what: `there is no run '${run}'${near ? `; did you mean ${near}?` : ''}`,
    mend: runs.length === 0 ? ['start one with: ralph run'] : [`the last runs: ${runs.slice(-5).join(', ')}`],
  });
}
