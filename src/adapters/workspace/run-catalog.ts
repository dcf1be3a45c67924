import type { ProjectInfo, RunSummary } from '../../contracts/catalogue.ts';
import { foldRun, type RunFold } from '../../rules/view/fold.ts';
import type { RunView } from '../../rules/view/model.ts';
import { summaryOf } from '../../rules/view/summary.ts';
import { type EventFile, openEventFile } from './event-file.ts';
import { listRuns } from './event-reader.ts';
import { runState } from './run-state.ts';

/** A run as far as it was read; the next look reads only what was appended. */
interface Known {
  readonly file: EventFile;
  readonly seen: Pick<RunFold, 'see' | 'view'>;
}

/** Runs that are remembered between looks. Older ones are read again when they are asked for. */
const MOST_KNOWN = 200;
const known = new Map<string, Known>();

/**
 * A run in one line. What agents do is not parsed, and what was read before is not read again.
 * @throws StateError when its log is of a later version
 */
export async function summariseRun(root: string, project: string, run: string): Promise<RunSummary> {
  const view = await headlinesOf(root, run);
  return summaryOf(view, project, await runState(root, view));
}

/** The last runs of a project, newest first. One whose log cannot be used is left out. */
export async function listRunSummaries(
  project: Pick<ProjectInfo, 'id' | 'root'>,
  { limit }: { readonly limit: number },
): Promise<readonly RunSummary[]> {
  const runs = (await listRuns(project.root)).slice(-limit).reverse();
  const summaries: RunSummary[] = [];
  // One after the other: many long logs at once would want all of the memory.
  for (const run of runs) {
    const summary = await summariseRun(project.root, project.id, run).catch(() => null);
    if (summary !== null) summaries.push(summary);
  }
  return summaries;
}

/**
 * The view of a run without what agents do, as its log is now; empty where there is none.
 * @throws StateError when the log is of a later version
 */
export async function headlinesOf(root: string, run: string): Promise<RunView> {
  const key = `${root}\n${run}`;
  for (let entry = known.get(key) ?? (await unread(root, run)); ; entry = await unread(root, run)) {
    const { file, seen } = entry;
    let advanced = await file.advance(seen.see, { headlines: true });
    while (advanced === 'grown') advanced = await file.advance(seen.see, { headlines: true });
    if (advanced === 'replaced') continue;
    remember(key, entry);
    return seen.view();
  }
}

async function unread(root: string, run: string): Promise<Known> {
  return { file: await openEventFile(root, run), seen: foldRun(run) };
}

/** Those that were asked for last stay. */
function remember(key: string, entry: Known): void {
  known.delete(key);
  known.set(key, entry);
  const oldest = known.size > MOST_KNOWN ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
}
