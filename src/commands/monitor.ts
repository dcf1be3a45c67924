import { type Git, openGit } from '../adapters/git/index.ts';
import { knownTrees, listRuns, projectAt, readSteering } from '../adapters/workspace/index.ts';
import { ExitCode, type ProjectInfo, UsageError } from '../contracts/index.ts';
import { systemClock } from '../platform/index.ts';
import { steeringOf } from '../rules/steering/index.ts';
import { nearest } from '../rules/text/index.ts';
import type { Asked } from '../surfaces/monitor/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import { countOf, isOn, type RawFlags, textOf } from './shared/flags.ts';
import { openProject } from './shared/open.ts';
import { printLines } from './shared/print.ts';
import { operate } from './steer/operate.ts';

/** How soon the end of the run it was started beside is noticed. */
const PARENT_LOOK_MS = 250;

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
  // The terminal is gone, or belongs to the shell again, as after the death of the run this was started beside.
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
    // Beside a run Ctrl-C is meant for the run: its process ends it gracefully.
    if (left.interrupted && beside !== undefined) return ExitCode.interrupted;
    // The user did not leave it: the run it was started beside has ended, or closed it.
    const wasTaken = beside !== undefined && ending.signal.aborted;
    if (left.live && !wasTaken)
      printLines(io, [`detached; run ${left.run} goes on. ralph monitor shows it again, ralph stop ends it`]);
    return 0;
  } finally {
    clearInterval(watch);
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** Reads what was asked of runs from their steering files. Whether a file is in a work tree is determined once. */
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
  readonly list: () => Promise<readonly ProjectInfo[]>;
  readonly selected: number;
}

/**
 * The work trees to choose from: those of this repository, or all that had runs. @throws UsageError when there is none
 */
async function streamsFor(flags: RawFlags, io: Io): Promise<Streams> {
  const isAll = isOn(flags, 'all');
  // With --all in any folder: outside a repository the first of the others is shown.
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

/** @throws UsageError naming the nearest run, when no run has this name */
async function needRun(root: string, run: string): Promise<void> {
  const runs = await listRuns(root);
  if (runs.includes(run)) return;
  const near = nearest(run, runs);
  throw new UsageError({
    what: `there is no run '${run}'${near ? `; did you mean ${near}?` : ''}`,
    mend: runs.length === 0 ? ['start one with: ralph run'] : [`the last runs: ${runs.slice(-5).join(', ')}`],
  });
}
