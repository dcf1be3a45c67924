import { signal } from '@preact/signals';
import { isLive } from '../state/overview.ts';
import type { ShownRun } from '../state/run.ts';
import { Attention } from './attention.tsx';
import { EVERY_ITERATION, type IterationFilter } from './filter.ts';
import { Gauges } from './gauges.tsx';
import { IterationDetail } from './iteration-detail.tsx';
import { Notices } from './notices.tsx';
import { NowPanel } from './now-panel.tsx';
import { OutcomePanel } from './outcome-panel.tsx';
import { Timeline } from './timeline.tsx';

/** Kept while the reader looks into an iteration and comes back. */
const filter = signal<IterationFilter>(EVERY_ITERATION);

/** What happens now, and what happened: the iterations, or one of them beside their list. */
export function TimelineSection({ shown, selected }: { readonly shown: ShownRun; readonly selected: number | null }) {
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
      <div class="column-main">
        {isLive(shown) || shown.state === 'between' ? <NowPanel shown={shown} /> : <OutcomePanel shown={shown} />}
        <Attention project={shown.project.id} view={shown.view} />
        {timeline}
      </div>
      <div class="column-side">
        <Gauges shown={shown} />
        <Notices view={shown.view} />
      </div>
    </div>
  );
}
