import { type ProjectInfo, RalphError, type RunSummary } from '../../../contracts/index.ts';
import { openInside, stat } from '../../../platform/index.ts';
import { foldRun, type RunFold, type RunView, summaryOf } from '../../../rules/view/index.ts';
import { type EventFile, openEventFile } from '../events/event-file.ts';
import { listRuns } from '../events/own-runs.ts';
import { runFolder } from '../paths.ts';
import { runState } from '../records/marker.ts';

/** A run as far as it was read; the next call reads only what was appended. */
interface Known {
  readonly file: EventFile;
  readonly seen: Pick<RunFold, 'see' | 'view'>;
}

/** Number of runs kept between calls. Older ones are read again on demand. */
const MOST_KNOWN = 200;
const known = new Map<string, Known>();

/**
 * A run in one line. Agents' activity is not parsed, and lines already read are not read again.
 * @throws StateError when its log is of a later version
 */
export async function summariseRun(root: string, project: string, run: string): Promise<RunSummary> {
  const view = await headlinesOf(root, run);
  return summaryOf(view, project, await runState(root, view));
}

/**
 * The last runs of a project, newest first: also those with an unusable log, with the reason. Folders without a single
 * event are ignored: they may contain anything.
 */
export async function listRunSummaries(
  project: Pick<ProjectInfo, 'id' | 'root'>,
  { limit }: { readonly limit: number },
): Promise<readonly RunSummary[]> {
  const runs = (await listRuns(project.root)).slice(-Math.max(limit, MOST_LOOKED_AT)).reverse();
  const summaries: RunSummary[] = [];
  // One after the other: reading many long logs at once could exhaust the memory.
  for (const run of runs) {
    if (summaries.length >= limit) break;
    const summary = await summaryOrProblem(project, run);
    if (summary === null) continue;
    // A run that another run followed needs no person's action.
    const isOver = summaries.length > 0 && (summary.state === 'ended' || summary.state === 'cut-off');
    summaries.push(isOver ? { ...summary, needs: null } : summary);
  }
  return summaries;
}

/** Number of inspected folders, including empty ones. */
const MOST_LOOKED_AT = 1_000;

/** Null for a folder that is not a run: an empty one, or a link to another one. */
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

/** A run of which only its existence is known, and whether it is alive. */
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
 * The view of a run without agents' activity, from its current log; empty without a log.
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
    // Empty folders would displace the others.
    if (view.lastEventAt !== 0) remember(key, entry);
    return view;
  }
}

async function unread(root: string, run: string): Promise<Known> {
  return { file: await openEventFile(root, run), seen: foldRun(run) };
}

/** Keeps the most recently requested ones. */
function remember(key: string, entry: Known): void {
  known.delete(key);
  known.set(key, entry);
  const oldest = known.size > MOST_KNOWN ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
}
