import type { CheckResult, EventBody, RalphEvent, Usage } from '../../contracts/index.ts';
import { aRunStart } from '../../contracts/run-start.fixture.ts';

const RUN = '20260101-100000-abcd';

/** An event of a fixed run at `second` seconds past ten. */
export function eventAt(second: number, iteration: number, body: EventBody): RalphEvent {
  return { ts: new Date(2026, 0, 1, 10, 0, second).toISOString(), run: RUN, iteration, ...body };
}

export const usage: Usage = { inputTokens: 1000, outputTokens: 2100, cacheReadTokens: 30_000, cacheWriteTokens: 0 };

export function checkResult(command: string, ok: boolean, tail = ''): CheckResult {
  return { command, ok, exitCode: ok ? 0 : 1, timedOut: false, durationMs: 2100, tail };
}

const select = { type: 'select', story: 'US-001', title: 'Add login', reviewCount: 0 } as const;
const agentEnd = {
  type: 'agent-end',
  exitCode: 0,
  signal: null,
  ok: true,
  error: null,
  stopped: null,
  turns: 3,
  usage,
  added: { story: 90, prompt: 870, tools: 1_100, hooks: 40 },
} as const;

/** A small run: a rejected iteration, then one that was accepted, then the end. */
export const smallRun: readonly RalphEvent[] = [
  eventAt(
    0,
    0,
    aRunStart({
      model: 'opus',
      stories: { total: 4, done: 1, blocked: 1 },
      pid: 1,
    }),
  ),
  eventAt(0, 0, { type: 'estimate', storiesLeft: 2, iterationsNeeded: 5, limit: 15, costUsd: 3.2, enough: true }),
  eventAt(1, 0, { type: 'baseline', checks: [checkResult('npm test', true), checkResult('npm run lint', false)] }),
  eventAt(2, 1, { ...select, mode: 'implement', attempt: 1 }),
  eventAt(2, 1, { type: 'checkpoint', head: 'abcdef1234', tree: 'f00', durationMs: 31 }),
  eventAt(2, 1, { type: 'agent-start', agent: 'claude', model: 'opus', pid: 12, try: 1 }),
  eventAt(3, 1, { type: 'agent', event: { type: 'text', text: 'I look around.\nThen I write.' } }),
  eventAt(4, 1, { type: 'agent', event: { type: 'tool-call', id: 't1', name: 'Read', summary: 'src/app.ts' } }),
  eventAt(5, 1, { type: 'agent', event: { type: 'tool-call', id: 't2', name: 'Bash', summary: 'npm test' } }),
  eventAt(6, 1, { type: 'agent', event: { type: 'tool-result', id: 't2', ok: false, summary: 'exit 1' } }),
  eventAt(7, 1, { type: 'agent', event: { type: 'usage', usage, contextTokens: 68_000 } }),
  eventAt(47, 1, { ...agentEnd, durationMs: 45_000, costUsd: 0.12 }),
  eventAt(48, 1, { type: 'check-start', command: 'npm test' }),
  eventAt(50, 1, {
    type: 'check',
    baselineRed: false,
    result: checkResult('npm test', false, 'not ok 1\n  expected 3, got 4\n'),
  }),
  eventAt(50, 1, {
    type: 'violation',
    violation: { rule: 'transition/self-approval', message: 'US-001: only the loop sets passes' },
  }),
  eventAt(50, 1, {
    type: 'verdict',
    verdict: 'rejected',
    mode: 'implement',
    story: 'US-001',
    claim: 'ready',
    reason: 'npm test was green and is red',
    counts: 'bad',
    attempts: 1,
  }),
  eventAt(51, 1, { type: 'rollback', rescue: `refs/ralph/rescue/${RUN}/1-1`, files: 3 }),
  eventAt(51, 1, { type: 'iteration-end', durationMs: 49_000, costUsd: 0.12 }),
  eventAt(52, 2, { ...select, mode: 'implement', attempt: 2 }),
  eventAt(53, 2, { type: 'agent-start', agent: 'claude', model: 'opus', pid: 13, try: 1 }),
  eventAt(54, 2, { ...agentEnd, durationMs: 1_200, costUsd: 0.08 }),
  eventAt(55, 2, { type: 'check', baselineRed: true, result: checkResult('npm run lint', true) }),
  eventAt(56, 2, {
    type: 'verdict',
    verdict: 'accepted',
    mode: 'implement',
    story: 'US-001',
    claim: 'ready',
    reason: 'ready, checks green',
    counts: 'good',
    attempts: 0,
  }),
  eventAt(56, 2, {
    type: 'commit',
    commit: '3f2a9c1d00',
    subject: 'feat(US-001): Add login',
    files: 4,
    agentCommits: null,
  }),
  eventAt(56, 2, { type: 'story', story: 'US-001', from: 'null', to: 'needs_review', reason: '' }),
  eventAt(56, 2, { type: 'iteration-end', durationMs: 4_000, costUsd: 0.08 }),
  eventAt(57, 0, {
    type: 'run-end',
    reason: 'iterations',
    exitCode: 1,
    summary: 'stories are left',
    stories: { total: 4, done: 1, blocked: 1 },
    costUsd: 0.2,
    usage,
    durationMs: 57_000,
  }),
];
