import type { Signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Mode } from '../../src/contracts/index.ts';
import { MODE_TEXT } from '../../src/rules/text/index.ts';
import type { IterationView } from '../../src/rules/view/index.ts';
import { FilterBar, type FilterChoice } from '../parts/filter-bar.tsx';
import { ModeLabel, Pill, ResultPill, share } from '../parts/pills.tsx';
import { Empty } from '../parts/problem.tsx';
import { runHref } from '../route.ts';
import { useKeys } from '../state/keys.ts';
import { isLive } from '../state/overview.ts';
import { now } from '../state/page.ts';
import type { ShownRun } from '../state/run.ts';
import { counted, dollars, elapsed, said } from '../text.ts';

/** Rows at first, and added on each request: a run may have thousands. */
const STEP = 200;

const RESULTS: readonly FilterChoice<IterationFilter['result']>[] = [
  { value: 'all', text: 'All' },
  { value: 'good', text: 'Accepted' },
  { value: 'bad', text: 'Not accepted' },
];

/** Every iteration in a line, the latest first. */
export function Timeline(props: {
  readonly shown: ShownRun;
  readonly selected: number | null;
  readonly filter: Signal<IterationFilter>;
}) {
  const { shown, selected, filter } = props;
  const { view, project } = shown;
  const [shownRows, setShownRows] = useState(STEP);
  const all = chosenIterations(view.iterations, filter.value);
  const place = all.findIndex((one) => one.iteration === selected);
  const rows = all.slice(0, Math.max(shownRows, place + 1));
  const longest = all.reduce((most, one) => Math.max(most, one.durationMs ?? 0), 1);
  const change = (part: Partial<IterationFilter>) => {
    filter.value = { ...filter.value, ...part };
  };
  const go = (to: number) => {
    const target = all[Math.max(0, Math.min(all.length - 1, to))];
    if (target !== undefined) location.hash = runHref(project.id, view.run, target.iteration);
  };
  useKeys([
    { keys: 'j', text: 'next iteration', press: () => go(place + 1) },
    { keys: 'k', text: 'previous iteration', press: () => go(place === -1 ? 0 : place - 1) },
    {
      keys: 'Escape',
      text: 'close the iteration',
      press: () => {
        if (selected !== null) location.hash = runHref(project.id, view.run);
      },
    },
  ]);
  return (
    <section class="stack-2" aria-labelledby="timeline">
      <h2 id="timeline" class={selected === null ? '' : 'hidden'}>
        Iterations
      </h2>
      <FilterBar
        label="Filter iterations"
        text={filter.value.text}
        onText={(text) => change({ text })}
        choices={RESULTS.map((one) => ({
          ...one,
          count: view.iterations.filter((iteration) => hasResult(iteration, one.value)).length,
        }))}
        choice={filter.value.result}
        onChoice={(result) => change({ result })}
      >
        <select
          aria-label="Mode"
          value={filter.value.mode}
          onChange={(event) => change({ mode: event.currentTarget.value as Mode | '' })}
        >
          <option value="">All modes</option>
          {Object.entries(MODE_TEXT).map(([mode, text]) => (
            <option key={mode} value={mode}>
              {text}
            </option>
          ))}
        </select>
      </FilterBar>
      {all.length === 0 ? (
        <Empty title={emptyText(shown)} />
      ) : (
        <ol class="panel iterations" reversed>
          {rows.map((one) => (
            <Row
              key={one.iteration}
              one={one}
              longest={longest}
              live={isLive(shown) && one.endedAt === null}
              selected={one.iteration === selected}
              href={runHref(project.id, view.run, one.iteration)}
            />
          ))}
        </ol>
      )}
      {rows.length < all.length && (
        <button type="button" class="button quiet more" onClick={() => setShownRows(rows.length + STEP)}>
          Show {counted(Math.min(STEP, all.length - rows.length), 'older iteration')}
        </button>
      )}
    </section>
  );
}

function Row(props: {
  readonly one: IterationView;
  readonly longest: number;
  readonly live: boolean;
  readonly selected: boolean;
  readonly href: string;
}) {
  const { one, longest, live, selected, href } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (!selected) return;
    link.current?.focus({ preventScroll: true });
    showInList(link.current);
  }, [selected]);
  return (
    <li class={live ? 'iteration live' : 'iteration'}>
      <a ref={link} href={href} aria-current={selected ? 'true' : undefined}>
        <span class="i-number number dim">{one.iteration}</span>
        <span class="i-story">
          <span class="line cut">
            <span class="mono dim">{said(one.story)}</span> {said(one.title)}
          </span>
          <span class="dim meta">
            <ModeLabel mode={one.mode} />
            {one.attempt > 1 && <span>attempt {one.attempt}</span>}
            {one.denials > 0 && <span class="bad toned">{counted(one.denials, 'denial')}</span>}
            {one.checks.red > 0 && <span class="bad toned">{counted(one.checks.red, 'failed check')}</span>}
          </span>
        </span>
        <span class="i-verdict">
          <Outcome one={one} live={live} />
        </span>
        <span class="i-time number">
          {live ? <Growing since={one.startedAt} /> : one.durationMs === null ? '-' : elapsed(one.durationMs)}
          <span class="track" aria-hidden="true">
            <span class="fill agent" style={{ width: share(one.agentMs, longest) }} />
            <span class="fill checks" style={{ width: share(one.checkMs, longest) }} />
            <span
              class="fill rest"
              style={{ width: share((one.durationMs ?? 0) - one.agentMs - one.checkMs, longest) }}
            />
          </span>
        </span>
        <span class="i-cost number">{dollars(one.costUsd)}</span>
      </a>
    </li>
  );
}

function emptyText(shown: ShownRun): string {
  if (shown.view.iterations.length > 0) return 'No iteration matches the filter.';
  return isLive(shown) ? 'No iteration yet.' : 'No iterations.';
}

function Outcome({ one, live }: { readonly one: IterationView; readonly live: boolean }) {
  if (one.verdict !== null) return <ResultPill {...one} verdict={one.verdict} />;
  return live ? (
    <Pill tone="accent" icon="play" live>
      under way
    </Pill>
  ) : (
    <Pill tone="plain" icon="minus-circle">
      cut off
    </Pill>
  );
}

function Growing({ since }: { readonly since: number }) {
  return <>{elapsed(Math.max(0, now.value - since))}</>;
}

/** Scrolls the list itself, never the page: the reader looks at the detail beside it. */
function showInList(row: HTMLElement | null): void {
  const list = row?.closest('.column-list');
  if (row === null || list === null || list === undefined) return;
  const inside = row.getBoundingClientRect();
  const around = list.getBoundingClientRect();
  // The list may extend below the window.
  const bottom = Math.min(around.bottom, innerHeight);
  if (inside.top >= around.top && inside.bottom <= bottom) return;
  list.scrollTop += (inside.top + inside.bottom - around.top - bottom) / 2;
}

/** Which iterations are shown; empty texts match everything. */
export interface IterationFilter {
  readonly result: 'all' | 'good' | 'bad';
  readonly mode: Mode | '';
  /** Searches ids and titles of stories, verdicts, reasons and commit subjects. */
  readonly text: string;
}

export const EVERY_ITERATION: IterationFilter = { result: 'all', mode: '', text: '' };

/** The iterations that match a filter, the latest first. */
function chosenIterations(iterations: readonly IterationView[], filter: IterationFilter): readonly IterationView[] {
  const text = filter.text.trim().toLowerCase();
  return iterations
    .filter((one) => hasResult(one, filter.result))
    .filter((one) => filter.mode === '' || one.mode === filter.mode)
    .filter((one) => text === '' || searched(one).toLowerCase().includes(text))
    .toReversed();
}

/** Whether an iteration has the given result; an active one only counts as `all`. */
export function hasResult(one: IterationView, result: IterationFilter['result']): boolean {
  if (result === 'all') return true;
  const good = one.verdict === 'accepted' || one.verdict === 'advanced';
  return one.verdict !== null && good === (result === 'good');
}

function searched(one: IterationView): string {
  return [`#${one.iteration}`, one.story, one.title, one.verdict, one.reason, one.commit?.subject].join(' ');
}
