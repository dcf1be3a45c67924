import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { needsOf } from '../../src/rules/view/index.ts';
import { Charts } from '../charts/charts.tsx';
import { Loading } from '../overview/overview-page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Replay } from '../replay/replay.tsx';
import { type Route, runHref, type Section } from '../route.ts';
import { isLive } from '../state/overview.ts';
import { announce } from '../state/page.ts';
import { followRun, runProblem, type ShownRun, shownRun } from '../state/run.ts';
import { StoriesSection } from '../stories/stories-section.tsx';
import { said } from '../text.ts';
import { Transcript } from '../transcript/transcript.tsx';
import { CheckTables } from './check-tables.tsx';
import { IterationDetail } from './iteration-detail.tsx';
import { NowPanel } from './now-panel.tsx';
import { Attention, Gauges, Notices, OutcomePanel } from './panels.tsx';
import { RunHead } from './run-head.tsx';
import { EVERY_ITERATION, type IterationFilter, Timeline } from './timeline.tsx';

type RunPlace = Extract<Route, { page: 'run' }>;

export function RunPage({ place }: { readonly place: RunPlace }) {
  const { project, run } = place;
  useEffect(() => followRun(project, run), [project, run]);
  const shown = shownRun.value;
  const state = shown?.state;
  useEffect(() => {
    if (state === undefined) return;
    announce(`The run is ${state === 'cut-off' ? 'cut off' : state}`);
  }, [state]);
  const title = shown === null ? 'ralph' : titleOf(shown);
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (shown === null) return runProblem.value === null ? <Loading /> : <Problem problem={runProblem.value} />;
  return (
    <div class="page run-page stack-4">
      <RunHead shown={shown} />
      <Sections place={place} shown={shown} />
      <div class="section">
        <h2 class="hidden">{TITLES[place.section]}</h2>
        <SectionBody place={place} shown={shown} />
      </div>
    </div>
  );
}

/** The title of a tab, with a mark in front when a person has to act. */
function titleOf({ project, state, view }: ShownRun): string {
  const came = view.ended?.reason ?? (state === 'cut-off' ? 'cut off' : state);
  return `${needsOf(view, state) === null ? '' : '(!) '}${said(project.name)}: ${came} – ralph`;
}

const TITLES: Readonly<Record<Section, string>> = {
  timeline: 'Timeline',
  stories: 'Stories',
  transcript: 'Transcript',
  checks: 'Checks & denials',
  charts: 'Charts',
  replay: 'Replay',
};

const SECTIONS = Object.keys(TITLES) as readonly Section[];

function Sections({ place, shown }: { readonly place: RunPlace; readonly shown: ShownRun }) {
  const { view } = shown;
  const nav = useRef<HTMLElement>(null);
  // Narrow windows show some of them, including the open one.
  const open = SECTIONS.indexOf(place.section);
  useEffect(() => {
    const link = nav.current?.children[open];
    if (!nav.current || !(link instanceof HTMLElement)) return;
    nav.current.scrollLeft = link.offsetLeft - (nav.current.clientWidth - link.offsetWidth) / 2;
  }, [open]);
  const counts: Readonly<Partial<Record<Section, number>>> = {
    timeline: view.iterations.length,
    stories: view.storyCounts.total,
    checks: view.denials.count + view.tests.count + view.checks.count,
  };
  return (
    <nav ref={nav} class="sections" aria-label="Parts of the run">
      {SECTIONS.map((section) => (
        <a
          key={section}
          href={runHref(place.project, place.run, section)}
          aria-current={section === place.section ? 'page' : undefined}
        >
          {TITLES[section]}
          {counts[section] !== undefined && <span class="count">{counts[section]}</span>}
        </a>
      ))}
    </nav>
  );
}

function SectionBody({ place, shown }: { readonly place: RunPlace; readonly shown: ShownRun }) {
  const { project, run, section } = place;
  const { view } = shown;
  if (section === 'timeline') return <TimelineSection shown={shown} selected={place.iteration} />;
  if (section === 'stories') return <StoriesSection shown={shown} />;
  if (section === 'transcript') return <Transcript project={project} run={run} iteration={null} view={view} />;
  if (section === 'checks') return <CheckTables project={project} view={view} iteration={null} />;
  if (section === 'charts') return <Charts view={view} />;
  return <Replay project={project} run={run} view={view} lines={shown.lines} />;
}

/** Kept while the reader looks into an iteration and comes back. */
const filter = signal<IterationFilter>(EVERY_ITERATION);

/** The current activity, and the history: the iterations, or one of them beside their list. */
function TimelineSection({ shown, selected }: { readonly shown: ShownRun; readonly selected: number | null }) {
  const timeline = <Timeline shown={shown} selected={selected} filter={filter} />;
  if (selected !== null) {
    return (
      <div class="columns detail-open">
        <div class="column-list">{timeline}</div>
        <IterationDetail key={selected} shown={shown} number={selected} />
      </div>
    );
  }
  return (
    <div class="columns">
      <div class="stack-4">
        {isLive(shown) || shown.state === 'between' ? <NowPanel shown={shown} /> : <OutcomePanel shown={shown} />}
        <Attention project={shown.project.id} view={shown.view} />
        {timeline}
      </div>
      <div class="stack-4">
        <Gauges shown={shown} />
        <Notices view={shown.view} />
      </div>
    </div>
  );
}
