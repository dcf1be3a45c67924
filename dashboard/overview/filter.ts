import { byPath, familyOf } from '../../src/rules/view/index.ts';
import type { Overview, ProjectInfo, RunSummary } from '../../src/surfaces/dashboard/index.ts';
import { isLive } from '../state/overview.ts';

/** Which runs are shown; empty texts match everything. */
export interface RunFilter {
  readonly state: 'all' | 'live' | 'needs' | 'complete' | 'other';
  readonly project: string;
  readonly text: string;
}

/** The runs of one repository, whose work trees are its main one, streams, and lanes of parallel runs. */
export interface RunGroup {
  readonly repository: string;
  readonly projects: readonly ProjectInfo[];
  /** One of each work tree first, lanes after their run; then the others. */
  readonly runs: readonly RunSummary[];
  /** How many of them represent their work trees. */
  readonly heads: number;
  readonly live: number;
}

/** Whether a run has a state that the filter names. */
export function hasState(run: RunSummary, state: RunFilter['state']): boolean {
  if (state === 'all') return true;
  if (state === 'live') return isLive(run);
  if (state === 'needs') return run.needs !== null;
  const complete = run.ended?.reason === 'complete';
  return state === 'complete' ? complete : !complete && !isLive(run);
}

/** The runs that match a filter, by repository: those with live runs first. */
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
      ...inOrder(runs, projects),
      live: runs.filter(isLive).length,
    }))
    .sort((a, b) => b.live - a.live || latest(b.runs) - latest(a.runs));
}

/** Families of work trees with live runs first, then those with a run that needs a person; the others by name. */
function inOrder(runs: readonly RunSummary[], projects: ReadonlyMap<string, ProjectInfo>) {
  const rootOf = (run: RunSummary) => projects.get(run.project)?.root ?? '';
  const byRank = runs.toSorted((a, b) => rankOf(a) - rankOf(b));
  const heads = [...new Map(byRank.toReversed().map((run) => [rootOf(run), run])).values()];
  const roots = new Set(heads.map(rootOf));
  const families = new Map<string, RunSummary[]>();
  for (const run of heads) {
    const family = familyOf(rootOf(run), roots);
    families.set(family, [...(families.get(family) ?? []), run]);
  }
  const rank = (members: readonly RunSummary[]) => Math.min(...members.map(rankOf));
  const first = [...families]
    .sort(([one, a], [other, b]) => rank(a) - rank(b) || byPath(one, other))
    .flatMap(([, members]) => members.sort((a, b) => byPath(rootOf(a), rootOf(b))));
  return { runs: [...first, ...byRank.filter((run) => !first.includes(run))], heads: first.length };
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
