import { expect, test } from 'vitest';
import type { EventBody, RalphEvent } from '../../contracts/index.ts';
import { aRunStart } from '../../contracts/run-start.fixture.ts';
import { foldRun } from './fold.ts';
import { durationOf } from './stats.ts';
import { NO_TOTALS, statusOf, totalsAfter } from './status.ts';

const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 });
const select = (story: string): EventBody => ({
  type: 'select',
  mode: 'implement',
  story,
  title: `About ${story}`,
  attempt: 1,
  reviewCount: 0,
});
const agentStart: EventBody = { type: 'agent-start', agent: 'claude', model: 'opus', pid: 1, try: 1 };
const agentEnd = (costUsd: number, tokens: number): EventBody => ({
  type: 'agent-end',
  exitCode: 0,
  signal: null,
  ok: true,
  error: null,
  stopped: null,
  durationMs: 10,
  costUsd,
  usage: usage(tokens),
  turns: 2,
});
const told = (costUsd: number, tokens: number): EventBody => ({
  type: 'agent',
  event: { type: 'usage', usage: usage(tokens), contextTokens: 50_000, costUsd },
});
const tool = (id: string, name: string, summary: string): EventBody => ({
  type: 'agent',
  event: { type: 'tool-call', id, name, summary },
});

/** The view after events, each with its iteration, one second after the other. */
function viewOf(...events: readonly (readonly [number, EventBody])[]) {
  const fold = foldRun('r1');
  for (const [i, [iteration, body]] of events.entries()) {
    const event: RalphEvent = { ts: new Date(i * 1000).toISOString(), run: 'r1', iteration, ...body };
    fold.see(event, i + 1);
  }
  return fold.view();
}

test('the cost of a process at work grows with what it tells, and its end replaces that', () => {
  const during = viewOf([1, select('A')], [1, agentStart], [1, told(0.1, 10)], [1, told(0.2, 30)]);
  expect([during.costUsd, during.now.costUsd, during.usage.inputTokens]).toEqual([0.2, 0.2, 30]);
  const after = viewOf(
    [1, select('A')],
    [1, agentStart],
    [1, told(0.2, 30)],
    [1, agentEnd(0.25, 40)],
    [1, agentStart],
    [1, told(0.1, 5)],
  );
  expect([after.costUsd, after.now.costUsd, after.usage.inputTokens]).toEqual([0.35, 0.1, 45]);
  expect(after.iterations[0]).toMatchObject({ turns: 2, contextPercent: null });
});

test('what the loop added to the contexts of an iteration is the sum over its processes', () => {
  const added = { story: 1, prompt: 2, tools: 3, hooks: 4 };
  const ended: EventBody = { ...agentEnd(0, 0), added } as EventBody;
  expect(viewOf([1, select('A')], [1, agentEnd(0, 0)]).iterations[0]?.added).toBeNull();
  const twice = viewOf([1, select('A')], [1, ended], [1, agentEnd(0, 0)], [1, ended]).iterations[0]?.added;
  expect(twice).toEqual({ story: 2, prompt: 4, tools: 6, hooks: 8 });
});

test('a share of the context window is shown only of a window that somebody told of', () => {
  const tokens = viewOf([1, select('A')], [1, agentStart], [1, told(0.1, 10)]).now.context;
  expect([tokens?.window, tokens?.percent]).toEqual([null, null]);
  const use = { type: 'context-use', percent: 30, tokens: 60_000, window: 200_000 } as const;
  const share = viewOf([1, select('A')], [1, agentStart], [1, use], [1, told(0.1, 10)]);
  expect(share.now.context?.window).toBe(200_000);
  expect(share.now.context?.percent).not.toBeNull();
  expect(share.iterations[0]?.contextPercent).toBe(30);
});

test('the window that the start of an agent tells counts from its first tokens on', () => {
  const view = viewOf([1, select('A')], [1, { ...agentStart, window: 200_000 }], [1, told(0.1, 10)]);
  expect(view.now.context?.window).toBe(200_000);
  expect(view.now.context?.percent).not.toBeNull();
});

test('the tool in use is the last one until its own result comes', () => {
  const calls = [
    [1, select('A')],
    [1, agentStart],
    [1, tool('a', 'Read', 'src/app.ts')],
    [1, tool('b', 'Bash', 'ls')],
  ] as const;
  const result = (id: string): EventBody => ({
    type: 'agent',
    event: { type: 'tool-result', id, ok: true, summary: '' },
  });
  expect(viewOf(...calls, [1, result('a')]).now).toMatchObject({
    tool: { name: 'Bash', what: 'ls' },
    file: 'src/app.ts',
  });
  expect(viewOf(...calls, [1, result('b')]).now.tool).toBeNull();
});

test('of iterations beside one another each has its own row, and the last selected one is shown', () => {
  const end: EventBody = { type: 'iteration-end', durationMs: 5, costUsd: null };
  const both = [
    [1, select('A')],
    [2, select('B')],
    [1, agentStart],
    [2, agentStart],
    [1, told(0.1, 1)],
    [2, told(0.3, 2)],
  ] as const;
  const view = viewOf(...both);
  expect(view.iterations.map(({ story, costUsd }) => [story, costUsd])).toEqual([
    ['A', 0.1],
    ['B', 0.3],
  ]);
  expect(view.now).toMatchObject({ iteration: 2, story: 'B', costUsd: 0.3 });
  expect(viewOf(...both, [2, end], [1, tool('a', 'Bash', 'ls')]).now).toMatchObject({
    iteration: 1,
    story: 'A',
    phase: 'agent',
  });
});

test('a log that lost its beginning still tells what came of an iteration', () => {
  const view = viewOf(
    [
      7,
      {
        type: 'verdict',
        verdict: 'accepted',
        mode: 'review',
        story: 'A',
        claim: 'approved',
        reason: 'r',
        counts: 'good',
        attempts: 0,
      },
    ],
    [7, { type: 'iteration-end', durationMs: 5, costUsd: 0.5 }],
  );
  expect(view).toMatchObject({ startedAt: null, costUsd: 0.5 });
  expect(view.iterations).toMatchObject([{ iteration: 7, mode: 'review', verdict: 'accepted', costUsd: 0.5 }]);
});

test('stories keep their order, change one by one, and are counted', () => {
  const row = (id: string, state: 'to do' | 'done') => ({
    id,
    title: id,
    state,
    priority: 1,
    dependsOn: [],
    reviewCount: 0,
    blocked: null,
  });
  const whole: EventBody = {
    type: 'backlog',
    whole: true,
    stories: [row('A', 'to do'), row('B', 'to do'), row('C', 'done')],
    removed: [],
  };
  const view = viewOf(
    [0, whole],
    [1, select('A')],
    [1, { type: 'story', story: 'A', from: 'open', to: 'blocked', reason: 'no key' }],
    [0, { type: 'backlog', whole: false, stories: [row('B', 'done')], removed: ['C'] }],
  );
  expect(view.stories.map(({ id, state, blocked }) => [id, state, blocked])).toEqual([
    ['A', 'blocked', 'no key'],
    ['B', 'done', null],
  ]);
  expect(view.storyCounts).toEqual({ total: 2, done: 1, blocked: 1 });
});

const runStart: EventBody = aRunStart({
  ralph: '1.0.0',
  branch: 'main',
  maxIterations: 5,
  pid: 1,
});
const iterationEnd: EventBody = { type: 'iteration-end', durationMs: 5, costUsd: null };
const turnEnd = (waits: Partial<Extract<EventBody, { type: 'turn-end' }>> = {}): EventBody => ({
  type: 'turn-end',
  next: 'next',
  until: null,
  why: null,
  text: '',
  ...waits,
});

test('between turns nobody works, and whatever happens next ends that', () => {
  const first = [
    [0, runStart],
    [1, select('A')],
    [1, iterationEnd],
    [0, turnEnd()],
  ] as const;
  const between = viewOf(...first);
  expect(between).toMatchObject({ betweenSince: 3_000, betweenMs: 0, starts: 1 });
  expect(between.now).toMatchObject({ phase: 'between', iteration: 1, waiting: null });
  expect(durationOf(between, 900_000)).toBe(3_000);
  const again = viewOf(...first, [2, select('B')]);
  expect(again).toMatchObject({ betweenSince: null, betweenMs: 1_000, starts: 1 });
  expect(durationOf(again, 9_000)).toBe(8_000);
});

test('another process that takes a turn and can do nothing leaves the run at the iteration it had', () => {
  const later = turnEnd({ next: 'later', why: 'pause', text: 'paused' });
  const resumed = { ...runStart, resumed: true } as const;
  expect(
    viewOf([0, runStart], [4, select('A')], [4, iterationEnd], [0, turnEnd()], [0, resumed], [0, later]).now,
  ).toMatchObject({
    phase: 'between',
    iteration: 4,
  });
});

test('a turn that has to wait says what for, until the next one', () => {
  const later = turnEnd({ next: 'later', why: 'rate', until: 90_000, text: 'calls per hour' });
  const waits = viewOf([0, runStart], [0, later], [0, later]);
  expect(waits.now.waiting).toEqual({ why: 'rate', until: 90_000, text: 'calls per hour' });
  expect(waits.betweenSince).toBe(1_000);
  const after = viewOf([0, runStart], [0, later], [0, { type: 'notice', level: 'info', text: 'on' }]);
  expect([after.now.waiting, after.betweenSince]).toEqual([null, null]);
});

test('iterations that are taken out once they have ended count in status and cost as if they were there', () => {
  const whole = foldRun('r1');
  const short = foldRun('r1');
  let totals = NO_TOTALS;
  for (let iteration = 1; iteration <= 3; iteration += 1) {
    const verdict = iteration === 2 ? 'rejected' : 'accepted';
    const bodies = [
      select('A'),
      agentStart,
      agentEnd(0.25, 40),
      { type: 'verdict', verdict, mode: 'implement', story: 'A', claim: null, reason: '', counts: 'good', attempts: 1 },
      { type: 'iteration-end', durationMs: 5, costUsd: 0.25 },
    ] as readonly EventBody[];
    for (const body of bodies) {
      const event: RalphEvent = { ts: new Date(1000).toISOString(), run: 'r1', iteration, ...body };
      for (const fold of [whole, short]) fold.see(event, 1);
      if (event.type === 'iteration-end') totals = totalsAfter(totals, short.takeEnded());
      expect(statusOf(short.view(), totals)).toEqual(statusOf(whole.view()));
    }
  }
  expect(short.view().iterations).toEqual([]);
  expect(short.view().costUsd).toBe(0.75);
  expect(foldRun('r1', short.view()).view().costUsd).toBe(0.75);
  expect(totals).toEqual({ lastVerdict: 'accepted', verdicts: { accepted: 2, rejected: 1 }, costUsd: 0.75 });
});
