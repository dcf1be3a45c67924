import { openGit } from '../adapters/git/index.ts';
import { knownTrees, listRuns, projectAt, readSteering } from '../adapters/workspace/index.ts';
import { ExitCode, UsageError } from '../contracts/index.ts';
import { systemClock } from '../platform/index.ts';
import { steeringOf } from '../rules/steering/index.ts';
import type { Asked } from '../surfaces/monitor/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import { noSuchRun } from './shared/chosen-run.ts';
import { countOf, isOn, type RawFlags, textOf } from './shared/flags.ts';
import { openProject } from './shared/open.ts';
import { printLines } from './shared/print.ts';
import { onSignals } from './shared/with-signals.ts';
import { operate } from './steer/operate.ts';

/** How soon the end of the run it was started beside is noticed. */
const PARENT_LOOK_MS = 250;

export async function monitor(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (!io.isTTY || process.stdin.isTTY !== true)
    throw new UsageError({
      what: 'ralph monitor needs a terminal',
      fix: ['`ralph status` prints the current state', '`ralph log` prints what happened'],
    });
  const run = textOf(flags, 'run') ?? null;
  const streams = await streamsFor(flags, io);
  const runs = run === null ? [] : await listRuns(streams.all[streams.selected]?.root ?? '');
  if (run !== null && !runs.includes(run)) throw noSuchRun(run, runs);
  const { showMonitor } = await import('../surfaces/monitor/monitor.ts');
  const ending = new AbortController();
  const onSignal = () => ending.abort();
  const stopListening = onSignals(onSignal);
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
      printLines(io, [
        `detached; run ${left.run} continues. \`ralph monitor\` shows it again, \`ralph stop\` stops it`,
      ]);
    return 0;
  } finally {
    clearInterval(watch);
    stopListening();
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

/**
 * The work trees to choose from: those of this repository, or all that had runs. @throws UsageError when there is none
 */
async function streamsFor(flags: RawFlags, io: Io) {
  const isAll = isOn(flags, 'all');
  // With --all in any folder: outside a repository the first of the others is shown.
  const git = isAll ? await openProject(flags, io).catch(() => null) : await openProject(flags, io);
  const own = git && projectAt({ root: git.repo.root, repository: git.repo.commonDir });
  const list = async () => {
    const known = await knownTrees(io.env, own === null ? [] : [own]);
    return own === null || isAll ? known : known.filter(({ repository }) => repository === own.repository);
  };
  const all = await list();
  if (all.length === 0)
    throw new UsageError({ what: 'no run was started on this machine yet', fix: ['start one with: ralph run'] });
  const at = all.findIndex(({ root }) => root === own?.root);
  return { all, list, selected: Math.max(0, at) };
}
