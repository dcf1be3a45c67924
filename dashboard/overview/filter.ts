import type { Overview, ProjectInfo, RunSummary } from '../../src/surfaces/dashboard/api.ts';
import { isLive } from '../state/overview.ts';

/** Which runs are shown; empty texts let everything through. */
export interface RunFilter {
  readonly state: 'all' | 'live' | 'needs' | 'complete' | 'other';
  readonly project: string;
  readonly text: string;
}

/** The runs of one repository; its work trees are its streams. */
export interface RunGroup {
  readonly repository: string;
  readonly projects: readonly ProjectInfo[];
  /** Live ones first, then those that need somebody, then the newest. */
  readonly runs: readonly RunSummary[];
  readonly live: number;
}

/** Whether a run is of a state that the filter names. */
export function hasState(run: RunSummary, state: RunFilter['state']): boolean {
  if (state === 'all') return true;
  if (state === 'live') return isLive(run);
  if (state === 'needs') return run.needs !== null;
  const complete = run.ended?.reason === 'complete';
  return state === 'complete' ? complete : !complete && !isLive(run);
}

/** The runs that a filter lets through, by repository: those with live runs first. */
export function groupRuns(overview: Overview, filter: RunFilter): readonly RunGroup[] {
  const projects = new Map(overview.projects.map((project) => [project.id, project]));
  const groups = new Map<string, RunSummary[]>();
  for (const run of overview.runs) {
    const project = projects.get(run.project);
    if (project === undefined || !matches(run, project, filter)) continue;
    const group = groups.get(project.repository) ?? [];
    group.push(run);
    groups.set(project.repository, group);
  }
  return [...groups]
    .map(([repository, runs]) => ({
      repository,
      projects: overview.projects.filter((project) => project.repository === repository),
      runs: runs.toSorted((a, b) => rankOf(a) - rankOf(b)),
      live: runs.filter(isLive).length,
    }))
    .sort((a, b) => b.live - a.live || latest(b.runs) - latest(a.runs));
}

function rankOf(run: RunSummary): number {
  if (isLive(run)) return 0;
  return run.needs === null ? 2 : 1;
}

function matches(run: RunSummary, project: ProjectInfo, filter: RunFilter): boolean {
  if (!hasState(run, filter.state)) return false;
  if (filter.project !== '' && run.project !== filter.project) return false;
  const text = filter.text.trim().toLowerCase();
  const searched = [
    project.name,
    run.run,
    run.branch,
    run.agent,
    run.story?.id,
    run.story?.title,
    run.ended?.summary,
    run.needs,
  ];
  return text === '' || searched.some((part) => part?.toLowerCase().includes(text));
}

function latest(runs: readonly RunSummary[]): number {
  return Math.max(...runs.map((run) => run.lastEventAt ?? 0));
}
