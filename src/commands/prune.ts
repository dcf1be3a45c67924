import { dropOldRuns, findOldRuns } from '../adapters/workspace/events/old-runs.ts';
import { readRunRecord } from '../adapters/workspace/records/run-record.ts';
import { counted } from '../surfaces/terminal/format.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { oneLine } from '../surfaces/terminal/sanitise.ts';
import { countOf, isOn, type RawFlags } from './shared/flags.ts';
import { liveRun } from './shared/live-run.ts';
import { configIn, openProject } from './shared/open.ts';
import { printJson, printLines } from './shared/print.ts';

/** `ralph prune`: events and logs of old runs go, by the rule that every start of a run applies. */
export async function prune(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const dryRun = isOn(flags, 'dryRun');
  const git = await openProject(flags, io);
  const { root, stateDir } = git.repo;
  const keep = countOf(flags, 'keep') ?? (await configIn(git, io)).config.runs.keep;
  const [live, record] = await Promise.all([liveRun(git), readRunRecord(stateDir)]);
  const unended = record?.ended === null ? record.run : null;
  const spared = new Set([live?.run, unended].flatMap((run) => run ?? []));
  const { runs, leftovers } = await (dryRun ? findOldRuns : dropOldRuns)(root, keep, spared);
  if (isOn(flags, 'json')) printJson(io, { dryRun, keep, runs, leftovers });
  else {
    const verb = dryRun ? 'would be deleted' : 'deleted';
    const left = leftovers.length === 0 ? '' : `, ${counted(leftovers.length, 'folder')} that a crash left`;
    printLines(io, [
      ...[...runs, ...leftovers].map((name) => `  ${oneLine(name)}`),
      `${counted(runs.length, 'run')}${left} ${verb}; the last ${keep} stay, and every rescue`,
    ]);
  }
  return 0;
}
