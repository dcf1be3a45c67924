import type { RalphEvent } from '../../contracts/events.ts';
import type { StoryRow, StoryState } from '../../contracts/model.ts';
import { sumDollars } from '../amounts.ts';
import { STATE_IN_MODE } from './iteration-row.ts';
import type { IterationView, RunView, StoryView } from './model.ts';

type Counts = RunView['storyCounts'];

/** The stories as the events tell of them. */
export interface StoryBoard {
  see(event: RalphEvent): void;
  counts(): Counts;
  /** With what the iterations add to each. */
  view(iterations: readonly IterationView[]): readonly StoryView[];
}

const NO_COUNTS: Counts = { total: 0, done: 0, blocked: 0 };

/** States that the events name like the review states, and two more. */
const STATES: Readonly<Record<string, StoryState>> = {
  open: 'to do',
  needs_review: 'needs review',
  changes_requested: 'changes requested',
  approved: 'done',
  done: 'done, unreviewed',
  blocked: 'blocked',
};

/** Goes on from what an earlier fold saw. */
export function storyBoard(from?: Pick<RunView, 'stories' | 'storyCounts'>): StoryBoard {
  const rows = new Map<string, StoryRow>((from?.stories ?? []).map((story) => [story.id, rowOf(story)]));
  let counts = from?.storyCounts ?? NO_COUNTS;

  function put(row: StoryRow): void {
    const before = rows.get(row.id);
    if (before) counts = moved(counts, before.state, row.state);
    rows.set(row.id, row);
  }

  /** A story nobody told of yet: of an old log without `backlog` events, where it is counted already. */
  function meet({ mode, story: id, title, reviewCount }: Extract<RalphEvent, { type: 'select' }>): void {
    const state = STATE_IN_MODE[mode];
    if (!rows.has(id)) rows.set(id, { id, title, state, priority: 0, dependsOn: [], reviewCount, blocked: null });
  }

  function takeBacklog({ whole, stories, removed }: Extract<RalphEvent, { type: 'backlog' }>): void {
    if (whole) rows.clear();
    for (const id of removed) rows.delete(id);
    for (const story of stories) rows.set(story.id, rowOf(story));
    counts = countRows(rows.values());
  }

  return {
    see(event) {
      if (event.type === 'run-start' || event.type === 'run-end') counts = event.stories;
      else if (event.type === 'backlog') takeBacklog(event);
      else if (event.type === 'select') meet(event);
      else if (event.type === 'story') {
        const row = rows.get(event.story);
        const state = Object.hasOwn(STATES, event.to) ? STATES[event.to] : undefined;
        if (row && state) put({ ...row, state, blocked: state === 'blocked' ? event.reason : null });
      }
    },
    counts: () => counts,
    view: (iterations) => withWork([...rows.values()], iterations),
  };
}

function rowOf({ id, title, state, priority, dependsOn, reviewCount, blocked }: StoryRow): StoryRow {
  return { id, title, state, priority, dependsOn, reviewCount, blocked };
}

const isDone = (state: StoryState) => state === 'done' || state === 'done, unreviewed';

function moved({ total, done, blocked }: Counts, from: StoryState, to: StoryState): Counts {
  return {
    total,
    done: done + Number(isDone(to)) - Number(isDone(from)),
    blocked: blocked + Number(to === 'blocked') - Number(from === 'blocked'),
  };
}

function countRows(rows: Iterable<StoryRow>): Counts {
  const states = Array.from(rows, ({ state }) => state);
  return {
    total: states.length,
    done: states.filter(isDone).length,
    blocked: states.filter((state) => state === 'blocked').length,
  };
}

function withWork(rows: readonly StoryRow[], iterations: readonly IterationView[]): readonly StoryView[] {
  const work = new Map<string, IterationView[]>();
  for (const iteration of iterations) {
    const own = work.get(iteration.story);
    if (own) own.push(iteration);
    else work.set(iteration.story, [iteration]);
  }
  return rows.map((row) => {
    const own = work.get(row.id) ?? [];
    return {
      ...row,
      iterations: own.length,
      costUsd: sumDollars(own.map(({ costUsd }) => costUsd ?? 0)),
      durationMs: own.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
      lastVerdict: own.findLast(({ verdict }) => verdict !== null)?.verdict ?? null,
    };
  });
}
