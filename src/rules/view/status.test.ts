import { expect, test } from 'vitest';
import type { RunState } from '../../contracts/index.ts';
import { foldRun } from './fold.ts';
import type { RunView, StoryView } from './model.ts';
import { needsOf } from './status.ts';

const empty = foldRun('r').view();
const story = (blocked: string | null) => ({ id: 'US-001', blocked }) as StoryView;
const ended = (reason: string) => ({ at: 1, reason, exitCode: 1, summary: '' }) as RunView['ended'];
const open = { ...empty.breaker, state: 'open' } as const;
const asked = (...ids: readonly number[]) => ids.map((id) => story(`question Q${id}: cents?`));

test.each<[Partial<RunView>, RunState, string | null]>([
  [{}, 'running', null],
  [{}, 'waiting', null],
  [{}, 'paused', 'paused; it waits until it is resumed'],
  [{}, 'between', null],
  [
    { now: { ...empty.now, waiting: { why: 'pause', until: null, text: '' } } },
    'between',
    'paused; it waits until it is resumed',
  ],
  [{}, 'cut-off', 'cut off; `ralph run` recovers it'],
  [{ stories: asked(1) }, 'running', 'answer Q1'],
  [{ stories: asked(1, 2, 3, 4, 5) }, 'paused', 'answer Q1, Q2, Q3 and 2 more'],
  [{ stories: [story('too hard')] }, 'running', null],
  [{ stories: [story('too hard'), story(null)], ended: ended('blocked') }, 'ended', '1 story is blocked'],
  [{ breaker: open }, 'waiting', 'the circuit breaker is open; see why, then reset it'],
  [{ ended: ended('complete') }, 'ended', null],
  [{ ended: ended('budget') }, 'ended', 'a budget is spent; a new run has its own'],
])('%j, %s: %s', (view, state, needs) => {
  expect(needsOf({ ...empty, ...view }, state)).toBe(needs);
});
