import type { ProjectInfo, RunSummary } from '../../../contracts/catalogue.ts';
import { RalphError } from '../../../contracts/errors.ts';
import { stat } from '../../../platform/files/files.ts';
import { openInside } from '../../../platform/files/files-inside.ts';
import { foldRun, type RunFold } from '../../../rules/view/fold.ts';
import type { RunView } from '../../../rules/view/model.ts';
import { summaryOf } from '../../../rules/view/summary.ts';
import { type EventFile, openEventFile } from '../events/event-file.ts';
import { listRuns } from '../events/own-runs.ts';
import { runFolder } from '../paths.ts';
import { runState } from '../records/run-state.ts';

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

/**
 * The last runs of a project, newest first: also those whose log cannot be used, which say why. Folders without a single
 * event are none: anything may lie there.
 */
export async function listRunSummaries(
  project: Pick<ProjectInfo, 'id' | 'root'>,
  { limit }: { readonly limit: number },
): Promise<readonly RunSummary[]> {
  const runs = (await listRuns(project.root)).slice(-Math.max(limit, MOST_LOOKED_AT)).reverse();
  const summaries: RunSummary[] = [];
  // One after the other: many long logs at once would want all of the memory.
  for (const run of runs) {
    if (summaries.length >= limit) break;
    const summary = await summaryOrProblem(project, run);
    if (summary === null) continue;
    // Nobody does anything for a run after which there was another one.
    const isOver = summaries.length > 0 && (summary.state === 'ended' || summary.state === 'cut-off');
    summaries.push(isOver ? { ...summary, needs: null } : summary);
  }
  return summaries;
}

/** Folders, empty ones among them. */
const MOST_LOOKED_AT = 1_000;

/** null for what is no run: an empty folder, a link to another one. */
async function summaryOrProblem(project: Pick<ProjectInfo, 'id' | 'root'>, run: string): Promise<RunSummary | null> {
  const folder = `${project.root}/${runFolder(run)}`;
  if ((await stat(folder))?.kind !== 'dir') return null;
  try {
    const summary = await summariseRun(project.root, project.id, run);
    if (summary.lastEventAt !== null) return summary;
  } catch (error) {
    return unusable(project, run, problemOf(error));
  }
  const log = await stat(`${folder}/events.jsonl`);
  const why = log?.kind === 'file' ? await whyUnreadable(project.root, `${runFolder(run)}/events.jsonl`) : null;
  return why === null ? null : unusable(project, run, `its log ${why}`);
}

async function whyUnreadable(root: string, path: string): Promise<string | null> {
  const opened = await openInside(root, path);
  if (opened.file === null) return opened.why;
  await opened.file.close();
  return null;
}

/** A run of which is known that it is there, and whether it lives. */
async function unusable({ id, root }: Pick<ProjectInfo, 'id' | 'root'>, run: string, problem: string) {
  const view = foldRun(run).view();
  const state = await runState(root, view);
  return { ...summaryOf(view, id, state === 'cut-off' ? 'ended' : state), problem, needs: null };
}

function problemOf(error: unknown): string {
  if (error instanceof RalphError) return error.facts.what;
  return `its log cannot be read: ${error instanceof Error ? error.message : String(error)}`;
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
    const view = seen.view();
    // Empty folders would drive out the others.
    if (view.lastEventAt !== 0) remember(key, entry);
    return view;
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
