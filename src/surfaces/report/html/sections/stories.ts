import type { Report, ReportStory } from '../../model.ts';
import { hueOfState, leftOut, money, shortened, took } from '../../words.ts';
import { bar } from '../charts.ts';
import { html, type Markup, type Part } from '../markup.ts';
import { remark, section } from '../section.ts';
import { type Column, table } from '../table.ts';

const MOST_ROWS = 200;

/** Every story with what it took. */
export function stories({ stories: all }: Report): Markup | null {
  if (all.length === 0) return null;
  // In a long backlog those that somebody worked on, or must look at, are the news.
  const shown = all.length <= MOST_ROWS ? all : all.filter(isNews).slice(0, MOST_ROWS);
  return section('Stories', [
    table('Stories', columnsFor(all), shown),
    remark(leftOut(shown.length, all.length, 'stories')),
  ]);
}

function isNews({ iterations, state }: ReportStory): boolean {
  return iterations > 0 || state === 'blocked';
}

function columnsFor(all: readonly ReportStory[]): readonly Column<ReportStory>[] {
  const byCost = all.some(({ costUsd }) => costUsd !== null && costUsd > 0);
  const most = Math.max(...all.map((story) => (byCost ? (story.costUsd ?? 0) : story.durationMs))) || 1;
  return [
    { title: 'story', kind: 'k', cell: ({ id }) => shortened(id, 40) },
    { title: 'title', kind: 'text', cell: titleOf },
    { title: 'state', kind: 'k', cell: ({ state }) => html`<span class="${hueOfState(state)}">${state}</span>` },
    { title: 'iterations', kind: 'n', wide: true, cell: ({ iterations }) => iterations },
    { title: 'reviews', kind: 'n', wide: true, cell: ({ reviews }) => reviews },
    { title: 'rejected', kind: 'n', wide: true, cell: ({ rejected }) => rejected },
    { title: 'time', kind: 'n', cell: ({ durationMs }) => took(durationMs) },
    ...(byCost ? [{ title: 'cost', kind: 'n', cell: ({ costUsd }: ReportStory) => money(costUsd) } as const] : []),
    {
      title: byCost ? 'cost, compared' : 'time, compared',
      kind: 'bar',
      wide: true,
      cell: (story) => bar((byCost ? (story.costUsd ?? 0) : story.durationMs) / most, hueOfState(story.state)),
    },
  ];
}

function titleOf({ title, blocked, state }: ReportStory): Part {
  const why =
    state === 'blocked' && blocked !== null ? html`<br><span class="dim">${shortened(blocked, 200)}</span>` : null;
  return html`${shortened(title, 160)}${why}`;
}
