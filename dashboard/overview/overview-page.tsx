import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Overview } from '../../src/surfaces/dashboard/api.ts';
import { FilterBar, type FilterChoice } from '../parts/filter-bar.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, Problem } from '../parts/problem.tsx';
import { followFleet } from '../state/fleet.ts';
import { followOverview, overview, overviewProblem } from '../state/overview.ts';
import { counted, dollars, said } from '../text.ts';
import { groupRuns, hasState, type RunFilter, type RunGroup } from './filter.ts';
import { FleetPanel } from './fleet-panel.tsx';
import { RunTable } from './run-table.tsx';

const STATES: readonly FilterChoice<RunFilter['state']>[] = [
  { value: 'all', text: 'All' },
  { value: 'live', text: 'Live' },
  { value: 'needs', text: 'Needs you' },
  { value: 'complete', text: 'Complete' },
  { value: 'other', text: 'Other' },
];

/** Kept while the reader looks at a run and comes back. */
const filter = signal<RunFilter>({ state: 'all', project: '', text: '' });

/** All runs of this machine, by repository. */
export function OverviewPage() {
  useEffect(followOverview, []);
  useEffect(followFleet, []);
  const told = overview.value;
  const waiting = told?.runs.filter((run) => hasState(run, 'needs')).length ?? 0;
  useEffect(() => {
    document.title = waiting === 0 ? 'ralph' : `(${waiting}) ralph`;
  }, [waiting]);
  if (told === null) {
    return overviewProblem.value === null ? <Loading /> : <Problem problem={overviewProblem.value} />;
  }
  return (
    <div class="page">
      <div class="page-head">
        <h1>Runs</h1>
        {told.runs.length > 0 && <p class="dim number">{totals(told)}</p>}
      </div>
      <FleetPanel />
      {told.runs.length === 0 ? <NoRuns /> : <Groups told={told} />}
    </div>
  );
}

function Groups({ told }: { readonly told: Overview }) {
  const chosen = filter.value;
  const change = (part: Partial<RunFilter>) => {
    filter.value = { ...chosen, ...part };
  };
  const groups = groupRuns(told, chosen);
  return (
    <>
      <FilterBar
        label="Filter runs"
        text={chosen.text}
        onText={(text) => change({ text })}
        choices={STATES.map((one) => ({ ...one, count: told.runs.filter((run) => hasState(run, one.value)).length }))}
        choice={chosen.state}
        onChoice={(state) => change({ state })}
      >
        {told.projects.length > 1 && (
          <select
            aria-label="Project"
            value={chosen.project}
            onChange={(event) => change({ project: event.currentTarget.value })}
          >
            <option value="">All projects</option>
            {told.projects.map((project) => (
              <option key={project.id} value={project.id} title={said(project.root)}>
                {said(project.name)}
              </option>
            ))}
          </select>
        )}
      </FilterBar>
      {groups.map((group) => (
        <Group key={group.repository} group={group} />
      ))}
      {groups.length === 0 && <Empty title="No run matches the filter." />}
    </>
  );
}

function Group({ group }: { readonly group: RunGroup }) {
  // By path, so the main work tree before those inside it.
  const [first] = group.projects;
  const streams = group.projects.length;
  return (
    <section class="run-group" aria-label={said(first?.name ?? group.repository)}>
      <header>
        <h2>
          <Icon name="folder" />
          <bdi>{said(first?.name ?? group.repository)}</bdi>
        </h2>
        <span class="dim path" title={said(first?.root ?? '')}>
          {streams > 1 ? counted(streams, 'work tree') : said(first?.root ?? '')}
        </span>
        {group.live > 0 && <span class="pill accent">{group.live} live</span>}
      </header>
      <RunTable group={group} />
    </section>
  );
}

function NoRuns() {
  return (
    <Empty title="No runs yet">
      <p>Start one in a repository with stories; it appears here by itself.</p>
      <pre class="mono">ralph init{'\n'}ralph run</pre>
      <p class="dim">
        To see one at once, without a key: <code>ralph run --scenario FILE --agent scripted</code>
      </p>
    </Empty>
  );
}

export function Loading() {
  return (
    <p class="loading dim" role="status">
      Reading…
    </p>
  );
}

function totals(told: Overview): string {
  const cost = told.runs.reduce((sum, run) => sum + run.costUsd, 0);
  const live = told.runs.filter((run) => hasState(run, 'live')).length;
  const waiting = told.runs.filter((run) => hasState(run, 'needs')).length;
  return [
    `${live} live`,
    ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'needs' : 'need'} you`]),
    counted(told.runs.length, 'run'),
    counted(new Set(told.projects.map(({ repository }) => repository)).size, 'project'),
    dollars(cost),
  ].join('  ·  ');
}
