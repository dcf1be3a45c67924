import type { EventBody, StoryRow } from '../../contracts/index.ts';
import { aRunStart } from '../../contracts/run-start.fixture.ts';
import { foldRun, type RunView } from '../../rules/view/index.ts';
import type { Scene } from './scene.ts';

export const START = Date.parse('2026-01-31T08:00:00.000Z');
const RUN = '20260131-080000-abcd';

export function storyRow(id: string, more: Partial<StoryRow> = {}): StoryRow {
  return {
    id,
    title: `story ${id}`,
    state: 'to do',
    priority: 1,
    dependsOn: [],
    reviewCount: 0,
    blocked: null,
    ...more,
  };
}

/** A run as these events leave it, one a second. */
export function viewOf(...bodies: readonly (EventBody & { readonly iteration?: number })[]): RunView {
  const fold = foldRun(RUN);
  for (const [i, body] of bodies.entries()) {
    fold.see({ ts: new Date(START + i * 1000).toISOString(), run: RUN, iteration: 0, ...body }, i + 1);
  }
  return fold.view();
}

export const RUN_START: Extract<EventBody, { type: 'run-start' }> = aRunStart({
  model: 'opus',
  isolation: 'bwrap',
  pid: 4711,
  limits: {
    maxIterations: 15,
    calls: 100,
    maxCost: 5,
    maxTokens: null,
    maxDurationMs: null,
    storyMaxCost: null,
    storyMaxAttempts: 3,
  },
});

export const SELECT: Extract<EventBody, { type: 'select' }> & { readonly iteration: number } = {
  type: 'select',
  iteration: 1,
  mode: 'implement',
  story: 'US-001',
  title: 'Log in',
  attempt: 1,
  reviewCount: 0,
};

/** The scene of a live run in one work tree. */
export function sceneOf(view: RunView | null, more: Partial<Scene> = {}): Scene {
  const project = { id: 'p1', name: 'app', root: '/projects/app', repository: '/projects/app/.git' };
  return {
    streams: [{ project, state: 'running', summary: null }],
    selected: 0,
    run: view === null ? null : RUN,
    newest: true,
    state: view === null ? null : 'running',
    view,
    asked: null,
    log: { brief: [], full: [], hasOlder: false },
    trouble: null,
    ...more,
  };
}
