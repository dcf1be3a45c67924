import { listRuns, logProblem, openEventFile, runFolder } from '../../adapters/workspace/index.ts';
import { StateError, type UsageError } from '../../contracts/index.ts';
import { foldRun, type RunView } from '../../rules/view/index.ts';
import { unknownName } from './flags.ts';

/**
 * The run of a project that the user named, else the last one that had iterations, else the last of all.
 * @returns null when there is none at all
 * @throws UsageError for an unknown run name, with the nearest one; StateError for an invalid log
 */
export async function chosenRun(root: string, wanted: string | undefined): Promise<RunView | null> {
  const runs = await listRuns(root);
  if (wanted !== undefined && !runs.includes(wanted)) throw noSuchRun(wanted, runs);
  if (wanted !== undefined) return (await viewOfRun(root, wanted)) ?? foldRun(wanted).view();
  let last: RunView | null = null;
  for (const run of runs.toReversed()) {
    const view = await viewOfRun(root, run);
    if (view !== null && view.iterations.length > 0) return view;
    last ??= view;
  }
  return last;
}

/** All runs of a project that had iterations, oldest first. @throws StateError for an invalid log */
export async function allRuns(root: string): Promise<readonly RunView[]> {
  const views: (RunView | null)[] = [];
  // One after the other: each log is read whole, and there may be many.
  for (const run of await listRuns(root)) views.push(await viewOfRun(root, run));
  return views.filter((view): view is RunView => view !== null && view.iterations.length > 0);
}

/** A summary of a run's log, without what agents did in between. @returns null when it left no log */
async function viewOfRun(root: string, run: string): Promise<RunView | null> {
  const problem = await logProblem(root, run);
  if (problem === 'missing') return null;
  if (problem !== null) throw unreadable(run, problem);
  const file = await openEventFile(root, run);
  const fold = foldRun(run);
  await file.advance(fold.see, { headlines: true });
  file.close();
  return fold.view();
}

function unreadable(run: string, problem: string): StateError {
  return new StateError({
    what: `the log of run ${run} cannot be read`,
    where: `${runFolder(run)}/events.jsonl`,
    why: `the file ${problem}`,
    fix: ['name another run', `or move ${runFolder(run)} away`],
  });
}

export function noSuchRun(wanted: string, runs: readonly string[]): UsageError {
  const last = `the last runs: ${runs.slice(-5).join(', ')}`;
  return unknownName('run', wanted, runs, [runs.length === 0 ? 'start one with: ralph run' : last]);
}
