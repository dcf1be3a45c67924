import { dropOldRuns, findOldRuns, readRunRecord } from '../adapters/workspace/index.ts';
import { counted, oneLine } from '../rules/text/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import { countOf, isOn, type RawFlags } from './shared/flags.ts';
import { liveRun } from './shared/live-run.ts';
import { configOf, openProject } from './shared/open.ts';
import { printResult } from './shared/print.ts';

/** `ralph prune`: deletes events and logs of old runs, by the rule that every start of a run applies. */
export async function prune(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const dryRun = isOn(flags, 'dryRun');
  const git = await openProject(flags, io);
  const { root, stateDir } = git.repo;
  const keep = countOf(flags, 'keep') ?? (await configOf(git, io)).config.runs.keep;
  const [live, record] = await Promise.all([liveRun(git), readRunRecord(stateDir)]);
  const unended = record?.ended === null ? record.run : null;
  const spared = new Set([live?.run, unended].flatMap((run) => run ?? []));
  const { runs, leftovers } = await (dryRun ? findOldRuns : dropOldRuns)(root, keep, spared);
  const verb = dryRun ? 'would be deleted' : 'deleted';
  const left = leftovers.length === 0 ? '' : `, ${counted(leftovers.length, 'folder')} left by a crash`;
  return printResult(io, flags, { dryRun, keep, runs, leftovers }, [
    ...[...runs, ...leftovers].map((name) => `  ${oneLine(name)}`),
    `${counted(runs.length, 'run')}${left} ${verb}; the last ${keep} runs and all rescues are kept`,
  ]);
}
