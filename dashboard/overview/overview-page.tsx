import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Overview, StreamStanding, WorkerStanding } from '../../src/surfaces/dashboard/index.ts';
import { FilterBar, type FilterChoice } from '../parts/filter-bar.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Pill, type PillTone } from '../parts/pills.tsx';
import { Empty, Heads, Problem } from '../parts/problem.tsx';
import { fleet, followFleet, followOverview, overview, overviewProblem } from '../state/overview.ts';
import { now } from '../state/page.ts';
import { ago, counted, dollars, said, stopwatch } from '../text.ts';
import { groupRuns, hasState, type RunFilter, type RunGroup } from './filter.ts';
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
    <div class="page stack-4">
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
    <section class="run-group stack-2" aria-label={said(first?.name ?? group.repository)}>
      <header>
        <h2>
          <Icon name="folder" />
          <bdi class="cut">{said(first?.name ?? group.repository)}</bdi>
        </h2>
        <span class="dim path note cut" title={said(first?.root ?? '')}>
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
      <p>Start one in a repository with stories; it appears here automatically.</p>
      <pre class="mono">ralph init{'\n'}ralph run</pre>
      <p class="dim">
        To try it without a key: <code>ralph run --scenario FILE --agent scripted</code>
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

/** Streams and workers of the fleet, according to its engine. */
function FleetPanel() {
  const told = fleet.value;
  if (told === null) return null;
  const { engine, streams, workers, problem, at } = told;
  return (
    <section class="run-group fleet stack-2" aria-label="Fleet">
      <header>
        <h2>
          <Icon name="repeat" /> Fleet
        </h2>
        <span class="dim path note cut" title={said(engine)}>
          {said(engine)}
        </span>
      </header>
      {problem !== null && (
        <p class="problem" role="alert">
          <Icon name="alert" />
          <span class="said">
            {said(problem)}
            {at !== null && ` (last known state, ${ago(now.value - at)})`}
          </span>
        </p>
      )}
      {at !== null && (
        <>
          <Table
            name="Streams"
            heads={['State', 'Stream', 'Turns', 'Cost', 'Worker', 'Now']}
            empty={streams.length === 0}
          >
            {streams.map((one) => (
              <StreamRow key={one.stream} one={one} />
            ))}
          </Table>
          <Table
            name="Workers"
            heads={['State', 'Worker', 'Max. turns', 'Host', 'Streams']}
            empty={workers.length === 0}
          >
            {workers.map((one) => (
              <WorkerRow key={one.worker} one={one} />
            ))}
          </Table>
          <p class="dim note">The files of these runs are on their workers; the runs of this machine are below.</p>
        </>
      )}
    </section>
  );
}

function Table(props: {
  readonly name: string;
  readonly heads: readonly string[];
  readonly empty: boolean;
  readonly children: ComponentChildren;
}) {
  if (props.empty) return <p class="dim">No {props.name.toLowerCase()} yet.</p>;
  return (
    <div class="panel">
      <table class="plain" aria-label={props.name}>
        <Heads heads={props.heads} />
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

type Look = readonly [tone: PillTone, icon: IconName];

const STREAM: Readonly<Record<StreamStanding['state'], Look>> = {
  ready: ['info', 'dots'],
  working: ['accent', 'play'],
  later: ['warn', 'clock'],
  done: ['good', 'check-circle'],
  ended: ['plain', 'stop'],
  cancelled: ['plain', 'stop'],
  failed: ['bad', 'cross-circle'],
};

function StreamRow({ one }: { readonly one: StreamStanding }) {
  const badEnd = one.ended !== null && one.ended.exitCode !== 0;
  const [tone, icon] = badEnd ? (['warn', 'stop'] as const) : STREAM[one.state];
  return (
    <tr>
      <td>
        <Pill tone={tone} icon={icon} live={one.state === 'working'}>
          {badEnd ? one.ended?.reason : one.state}
        </Pill>
      </td>
      <td>
        <strong>{said(one.stream)}</strong>
      </td>
      <td class="number">
        {counted(one.turns, 'turn')}
        {one.attempts > 1 && <span class="warn toned"> attempt {one.attempts}</span>}
      </td>
      <td class="number">{dollars(one.costUsd)}</td>
      <td class="mono">{said(one.worker ?? '')}</td>
      <td class="said dim">
        {said(one.text)}
        {one.until !== null && `${one.text === '' ? '' : ', '}${stopwatch(one.until - now.value)} left`}
      </td>
    </tr>
  );
}

const WORKER: Readonly<Record<WorkerStanding['state'], Look>> = {
  working: ['good', 'check-circle'],
  draining: ['warn', 'clock'],
  gone: ['bad', 'cross-circle'],
};

function WorkerRow({ one }: { readonly one: WorkerStanding }) {
  const [tone, icon] = WORKER[one.state];
  return (
    <tr>
      <td>
        <Pill tone={tone} icon={icon}>
          {one.state}
        </Pill>
      </td>
      <td class="mono">{said(one.worker)}</td>
      <td class="number">
        {one.streams.length} of {one.capacity}
      </td>
      <td>{said(one.host)}</td>
      <td class="said">{said(one.streams.join(', '))}</td>
    </tr>
  );
}
