import { MODES, type Verdict } from '../../contracts/index.ts';
import { allTokens, rescueName, sumCosts } from '../../rules/text/index.ts';
import {
  type CheckView,
  durationOf,
  type IterationView,
  meanAdded,
  type RunView,
  type StoryView,
} from '../../rules/view/index.ts';
import type {
  AgentUse,
  Archive,
  BudgetUse,
  CheckUse,
  Report,
  ReportExtra,
  ReportRescue,
  ReportStory,
  ReviewFigures,
  TestOutcome,
} from './model.ts';

/** Every story of the runs, in backlog order; for a story in several runs, the state after the last of them. */
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
    rejected: (before?.rejected ?? 0) + iterations.filter(({ verdict }) => hasFailed(verdict)).length,
    durationMs: (before?.durationMs ?? 0) + iterations.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
    costUsd: sumCosts([before?.costUsd ?? null, ...iterations.map(({ costUsd }) => costUsd)]),
  };
}

/** From the last run on each backlog. */
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

/** A valid review that decided the story. An iteration's claim is the state it left the story in. */
function isDecided({ mode, verdict, claim }: IterationView): boolean {
  return mode === 'review' && verdict === 'accepted' && (claim === 'approved' || claim === 'changes_requested');
}

export function reviewFigures(views: readonly RunView[]): ReviewFigures {
  const reviews = views.flatMap(({ backlog, iterations }) =>
    iterations.filter(({ mode }) => mode === 'review').map((review) => ({ backlog, review })),
  );
  const decided = reviews.filter(({ review }) => isDecided(review));
  const byStory = [...grouped(decided, ({ backlog, review }) => `${backlog}\n${review.story}`).values()];
  const needed = byStory
    .map((all) => all.findIndex(({ review }) => review.claim === 'approved') + 1)
    .filter((rounds) => rounds > 0);
  return {
    decided: decided.length,
    stories: byStory.length,
    approvedAtOnce: needed.filter((rounds) => rounds === 1).length,
    rounds: Array.from({ length: Math.max(0, ...needed) }, (_, i) => needed.filter((one) => one === i + 1).length),
    undecided: reviews.filter(({ review }) => review.verdict !== null && !isDecided(review)).length,
  };
}

/** Agents, the busiest first. */
export function agentsOf(iterations: readonly IterationView[]): readonly AgentUse[] {
  const worked = iterations.filter(({ agent }) => agent !== null);
  return [...grouped(worked, ({ agent, model }) => JSON.stringify([agent, model])).values()]
    .map(agentUse)
    .toSorted((a, b) => b.iterations - a.iterations);
}

function agentUse(own: readonly IterationView[]): AgentUse {
  return {
    agent: own[0]?.agent ?? '',
    model: own[0]?.model ?? null,
    iterations: own.length,
    good: own.filter(({ verdict }) => verdict === 'accepted' || verdict === 'advanced').length,
    durationMs: own.reduce((sum, { agentMs }) => sum + agentMs, 0),
    costUsd: sumCosts(own.map(({ costUsd }) => costUsd)),
    tokens: own.reduce((sum, { usage }) => sum + allTokens(usage), 0),
  };
}

/** What a run used of its limits; those without one are left out. Every run has its own budgets. */
export function budgetsOf(view: RunView): readonly BudgetUse[] {
  const { limits, used, maxIterations, costUsd, usage, waitedMs, calls } = view;
  const aliveMs = Math.max(0, durationOf(view, null) - waitedMs);
  const all: readonly (Omit<BudgetUse, 'limit'> & { readonly limit: number | null })[] = [
    { name: 'iterations', unit: 'count', used, limit: limits?.maxIterations ?? maxIterations },
    { name: 'cost', unit: 'usd', used: costUsd, limit: limits?.maxCost ?? null },
    { name: 'tokens', unit: 'tokens', used: allTokens(usage), limit: limits?.maxTokens ?? null },
    { name: 'time', unit: 'ms', used: aliveMs, limit: limits?.maxDurationMs ?? null },
    { name: 'calls in the last hour', unit: 'count', used: calls.length, limit: limits?.calls ?? null },
  ];
  return all.flatMap(({ limit, ...use }) => (limit === null || limit <= 0 ? [] : [{ ...use, limit }]));
}

/** Iterations, time and cost by mode, in the order of a story's life. */
export function modesOf(iterations: readonly IterationView[]): Report['modes'] {
  return MODES.map((mode) => ({ mode, own: iterations.filter((one) => one.mode === mode) }))
    .filter(({ own }) => own.length > 0)
    .map(({ mode, own }) => ({
      mode,
      count: own.length,
      durationMs: own.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
      costUsd: sumCosts(own.map(({ costUsd }) => costUsd)) ?? 0,
      added: meanAdded(own),
    }));
}

/* Figures of which a view keeps only the latest: checks, test runs, denials, notices. */

/** Each check's runs, those that failed most often first. */
export function checksOf(views: readonly RunView[]): Report['checks'] {
  const all = views.flatMap(({ checks }) => checks.last);
  return {
    count: views.reduce((sum, { checks }) => sum + checks.count, 0),
    commands: [...grouped(all, ({ command }) => command)]
      .map(([command, own]) => checkUse(command, own))
      .toSorted((a, b) => b.red - a.red || b.runs - a.runs),
  };
}

function checkUse(command: string, own: readonly CheckView[]): CheckUse {
  return {
    command,
    runs: own.length,
    red: own.filter(({ ok }) => !ok).length,
    meanMs: own.reduce((sum, { durationMs }) => sum + durationMs, 0) / own.length,
  };
}

/** Results of the test runs seen inside agents. */
export function testsOf(views: readonly RunView[]): Report['tests'] {
  const outcomes: Record<TestOutcome, number> = { pass: 0, fail: 0, error: 0, 'no-tests': 0, unknown: 0 };
  for (const { outcome } of views.flatMap(({ tests }) => tests.last))
    if (Object.hasOwn(outcomes, outcome)) outcomes[outcome] += 1;
  return { count: views.reduce((sum, { tests }) => sum + tests.count, 0), outcomes };
}

/** What hooks refused, by rule, the most frequent first. */
export function denialsOf(views: readonly RunView[]): Report['denials'] {
  const all = views.flatMap(({ denials }) => denials.last);
  return {
    count: views.reduce((sum, { denials }) => sum + denials.count, 0),
    rules: [...grouped(all, ({ rule }) => rule)]
      .map(([rule, own]) => ({ rule, count: own.length, example: own.at(-1)?.subject ?? '' }))
      .toSorted((a, b) => b.count - a.count),
  };
}

const MOST_NOTICES = 30;

export function noticesOf(views: readonly RunView[]): Report['notices'] {
  return views
    .flatMap(({ notices }) => notices.last)
    .flatMap(({ at, level, text }) => (level === 'info' ? [] : [{ at, level, text }]))
    .slice(-MOST_NOTICES);
}

/** What roll-backs removed, and the commands to look at it. Pure. */
export function rescuesOf(views: readonly RunView[], there: ReportExtra['rescues']): readonly ReportRescue[] {
  const names = new Set(there.map(({ name }) => name));
  return views.flatMap(({ iterations }) =>
    iterations.flatMap(({ rescue, iteration, story, reason }) => {
      if (rescue === null) return [];
      const name = rescueName(rescue);
      const kept = names.has(name);
      return { name, iteration, story, reason, kept, show: command('show', name), restore: command('restore', name) };
    }),
  );
}

/** Event logs lie where agents can write: a command that people copy has only names in it that need no quotes. */
function command(verb: string, name: string): string | null {
  return isPlainWord(name) ? `ralph rescue ${verb} ${name}` : null;
}

/** Whether it can be in a command line unquoted. */
export function isPlainWord(text: string): boolean {
  return /^[A-Za-z0-9][\w./-]{0,99}$/.test(text);
}

/** Verdicts after which nothing of an iteration counts. */
const NOTHING: readonly (Verdict | null)[] = ['rejected', 'no-progress', 'timed-out', 'agent-error'];

/** Whether an iteration failed by its own fault. A limited or interrupted one did not. */
export function hasFailed(verdict: Verdict | null): boolean {
  return NOTHING.includes(verdict);
}

/** Beginnings of the sentences of `rules/safeguards/verdict.ts`, and the cause each group shares. */
const CAUSES: readonly (readonly [sentence: RegExp, cause: string])[] = [
  [/^a check that passed before fails now/, 'a check that passed before fails'],
  [/^the agent says the story is finished, but its own check/, 'claimed done, but its own check fails'],
  [/^tests or checks were weakened/, 'tests or checks were weakened'],
  [/^the review changed files/, 'a review changed files'],
  [/^the agent ran out of time/, 'the agent ran out of time'],
  [/^the agent ended with an error/, 'the agent ended with an error'],
  [/^the review ended without a decision/, 'a review without a decision'],
  [/^the agent changed nothing and made no claim/, 'no change and no claim'],
  [/^the agent says the story is finished, but nothing was changed for it/, 'claimed done, but nothing changed'],
];

/** The shared cause of iterations that failed for similar reasons; else just the verdict. */
export function causeOf(verdict: Verdict, reason: string): string {
  return CAUSES.find(([sentence]) => sentence.test(reason))?.[1] ?? verdict;
}

/** Items by key, in the order in which keys first occur. (Node.js 20 has no `Map.groupBy`.) */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * Runs with the stories of archived loops renamed so that no later story collides: `US-001 (2026-03-02-login)`. Pure.
 */
export function withArchivedApart(
  views: readonly RunView[],
  archives: readonly Archive[],
): { readonly views: readonly RunView[]; readonly archived: ReadonlySet<string> } {
  const archived = new Set<string>();
  const renamed = views.map((view) => {
    const nameOf = (id: string) => {
      const closed = archives.find(({ at, stories }) => at >= view.lastEventAt && stories.includes(id));
      if (closed === undefined) return id;
      const name = `${id} (${closed.label})`;
      archived.add(name);
      return name;
    };
    return {
      ...view,
      stories: view.stories.map((story) => ({ ...story, id: nameOf(story.id) })),
      iterations: view.iterations.map((one) => ({ ...one, story: nameOf(one.story) })),
    };
  });
  return { views: renamed, archived };
}
