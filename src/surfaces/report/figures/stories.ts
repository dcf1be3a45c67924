import { sumDollars } from '../../../rules/amounts.ts';
import type { IterationView, RunView, StoryView } from '../../../rules/view/model.ts';
import { cameToNothing } from '../causes.ts';
import { grouped } from '../grouped.ts';
import type { Report, ReportStory } from '../model.ts';
import { isDecided } from './reviews.ts';

/** Every story of the runs, in backlog order; where several runs knew a story, as the last of them left it. */
export function storiesOf(views: readonly RunView[]): readonly ReportStory[] {
  const stories = new Map<string, ReportStory>();
  for (const view of views) {
    const own = grouped(view.iterations, ({ story }) => story);
    for (const story of view.lonePrompt ? [] : view.stories) {
      const key = `${view.backlog}\n${story.id}`;
      stories.set(key, added(stories.get(key), story, own.get(story.id) ?? []));
    }
  }
  return [...stories.values()];
}

function added(before: ReportStory | undefined, story: StoryView, iterations: readonly IterationView[]): ReportStory {
  const { id, title, state, blocked } = story;
  return {
    id,
    title,
    state,
    blocked,
    iterations: (before?.iterations ?? 0) + iterations.length,
    reviews: (before?.reviews ?? 0) + iterations.filter(isDecided).length,
    rejected: (before?.rejected ?? 0) + iterations.filter(({ verdict }) => cameToNothing(verdict)).length,
    durationMs: (before?.durationMs ?? 0) + iterations.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    costUsd: sumCosts([before?.costUsd ?? null, ...iterations.map(({ costUsd }) => costUsd)]),
  };
}

/** US dollars of all that told theirs; null when none did. */
export function sumCosts(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length === 0 ? null : sumDollars(known);
}

/** As the last run on each backlog left them. */
export function countsOf(views: readonly RunView[]): Report['storyCounts'] {
  const last = new Map(views.map((view) => [view.backlog, view.lonePrompt ? NONE : view.storyCounts]));
  return [...last.values()].reduce(
    (sum, { total, done, blocked }) => ({
      total: sum.total + total,
      done: sum.done + done,
      blocked: sum.blocked + blocked,
    }),
    NONE,
  );
}

const NONE = { total: 0, done: 0, blocked: 0 };
