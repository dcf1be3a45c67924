import { expect, test } from 'vitest';
import { aContext, aHook, aRun } from '../../../test/support/hook-context.ts';
import type { HookContext, StopFacts } from './api.ts';
import { decide } from './decide.ts';
import { asksForCommits } from './stop.ts';

const CLEAN: StopFacts = { violations: [], uncommitted: [] };
const BROKEN: StopFacts = {
  violations: [
    { rule: 'transition/self-approval', story: 'US-003', field: 'passes', message: 'Only a review approves.' },
    { rule: 'invariant/review-count', story: 'US-002', field: 'reviewCount', message: 'It only grows.' },
    { rule: 'transition/backlog-unreadable', message: 'tasks.json could not be read.' },
  ],
  uncommitted: ['src/a.ts'],
};

const stop = (facts: StopFacts | null, parts: Partial<HookContext> = {}, more: object = {}) =>
  decide(aHook('Stop', more), aContext({ stop: facts, ...parts }));

test('an agent that leaves everything in order may go', () => {
  expect(stop(CLEAN)).toMatchObject({ answer: { kind: 'allow' }, effects: [] });
});

test('reasons stand in the order in which they can be fixed, each with story, field and what to do', () => {
  const { answer } = stop(BROKEN);
  const lines = answer.kind === 'block' ? answer.text.split('\n').slice(1) : [];
  expect(lines).toEqual([
    '- tasks.json could not be read.',
    '- US-002, reviewCount: It only grows.',
    '- US-003, passes: Only a review approves.',
    expect.stringMatching(/^- US-003: uncommitted changes: src\/a\.ts\. .*progress log.*memory.*commit everything/),
  ]);
});

test('each refusal is counted and recorded', () => {
  const { session, effects } = stop(BROKEN);
  expect(session.refusals).toBe(1);
  expect(effects).toContainEqual({
    kind: 'event',
    body: expect.objectContaining({ type: 'stop-refused', refusal: 1 }),
  });
});

/** Stops one after the other; before those that are told, the agent used a tool. */
function stops(...usedTool: readonly boolean[]): readonly string[] {
  let session = aContext().session;
  return usedTool.map((used) => {
    if (used)
      ({ session } = decide(aHook('PostToolUse', { tool_name: 'mcp__ralph__get_story' }), aContext({ session })));
    const decision = stop(BROKEN, { session });
    ({ session } = decision);
    return decision.answer.kind;
  });
}

test('after the last refusal the agent may go, and the loop decides', () => {
  expect(stops(true, true, true, true)).toEqual(['block', 'block', 'block', 'allow']);
});

test('an agent that only talks is refused twice; a tool call makes a further refusal possible', () => {
  expect(stops(false, false, false)).toEqual(['block', 'block', 'allow']);
  expect(stops(false, false, true, false)).toEqual(['block', 'block', 'block', 'allow']);
});

test('with no refusals allowed none is made', () => {
  expect(stop(BROKEN, { maxRefusals: 0 }).answer.kind).toBe('allow');
});

test('a reviewer is told to undo its changes, not to commit them', () => {
  const { answer } = stop({ violations: [], uncommitted: ['a.ts'] }, { run: aRun({ mode: 'review' }) });
  expect(answer).toMatchObject({ text: expect.stringContaining('Undo') });
});

test('many reasons are counted, not listed', () => {
  const uncommitted = Array.from({ length: 500 }, (_, i) => `src/${i}.ts`);
  const { answer } = stop({ violations: [], uncommitted });
  expect(answer.kind === 'block' && answer.text.length).toBeLessThan(1500);
  expect(answer).toMatchObject({ text: expect.stringContaining('480 more') });
});

test('neither a subagent nor a session outside a run is held', () => {
  expect(stop(BROKEN, {}, { agent_id: 'a1' }).answer.kind).toBe('allow');
  expect(stop(BROKEN, { run: null }).answer.kind).toBe('allow');
  expect(decide(aHook('SubagentStop'), aContext({ stop: BROKEN })).answer.kind).toBe('allow');
});

test.each([
  ['implement', 'squash', 'auto', false],
  ['implement', 'keep', 'auto', true],
  ['review-fix', 'squash', 'refuse', true],
  ['review-fix', 'keep', 'allow', false],
  ['review', 'squash', 'allow', true],
] as const)(
  'in %s with commits: %s and stop.uncommitted: %s commits are asked for: %s',
  (mode, commits, uncommitted, asked) => {
    expect(asksForCommits(mode, { commits, stop: { uncommitted } })).toBe(asked);
  },
);
