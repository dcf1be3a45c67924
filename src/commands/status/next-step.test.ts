import { expect, test } from 'vitest';
import { nextStep, type RunStatus } from './next-step.ts';

type Safeguards = NonNullable<Parameters<typeof nextStep>[0]['safeguards']>;

const run: RunStatus = {
  run: 'r',
  state: 'ended',
  iteration: 3,
  used: 3,
  maxIterations: 15,
  mode: null,
  story: null,
  lastVerdict: 'accepted',
  lastResult: 'accepted',
  costUsd: null,
  ended: 'iterations',
  blocked: null,
};
const root = '/projects/app/.ralph/worktrees/PRD-2';
const work = { kind: 'work', mode: 'implement', story: {} as never } as const;
const complete = { kind: 'complete' } as const;
const blocked = { kind: 'blocked', stories: [{ id: 'US-004', reason: 'waits' }] } as const;

const calm = {
  breaker: { state: 'closed' },
  questions: [],
  paused: false,
  waiting: null,
  providerLimit: null,
} as never as Safeguards;
const open = { ...calm, breaker: { state: 'open' } as Safeguards['breaker'] };
const asking = { ...calm, questions: [{ id: 'Q2', story: 'US-004', text: 'Net or gross?' }] };
const paused = { ...calm, paused: true };
const waiting = { ...calm, waiting: { why: 'limit', since: 1, until: 2 } } as const;
const pausing = { ...waiting, waiting: { why: 'pause', since: 1, until: null } } as const;
const limited = { ...calm, providerLimit: { until: 3_600_000, reason: 'claude is at its limit', waits: true } };
const impatient = { ...calm, providerLimit: { ...limited.providerLimit, waits: false } };
const running = { ...run, state: 'running' } as const;

test.each([
  ['a live run', { run: running, stories: 3, upNext: work, safeguards: calm }, 'ralph log'],
  ['a live run that is paused', { run: running, stories: 3, upNext: work, safeguards: paused }, 'ralph resume'],
  ['a live run that stands still', { run: running, stories: 3, upNext: work, safeguards: pausing }, 'ralph resume'],
  ['a live run that waits', { run: running, stories: 3, upNext: work, safeguards: waiting }, 'ralph stop'],
  ['a live run that asks', { run: running, stories: 3, upNext: work, safeguards: asking }, 'ralph answer Q2 "…"'],
  ['a broken backlog', { run, stories: null, upNext: null, safeguards: calm }, 'ralph validate'],
  ['a broken configuration', { run, stories: 3, upNext: work, safeguards: null }, 'ralph doctor'],
  ['an empty backlog', { run: null, stories: 0, upNext: null, safeguards: calm }, 'ralph plan'],
  [
    'a run that was cut off',
    { run: { ...run, state: 'cut-off' }, stories: 3, upNext: complete, safeguards: open },
    'ralph run',
  ],
  [
    'a finished backlog whose work is on its branch',
    { run, stories: 3, upNext: complete, finished: 'main', safeguards: open },
    'git switch main',
  ],
  ['a merge that was cut off', { run, stories: 3, upNext: work, mergeCutOff: true, safeguards: open }, 'ralph finish'],
  ['a finished backlog', { run, stories: 3, upNext: complete, safeguards: open }, 'ralph finish'],
  [
    'a finished prompt',
    { run: { ...run, ended: 'complete' }, stories: 1, lonePrompt: true, upNext: work, safeguards: calm },
    'git log',
  ],
  [
    'a blocked prompt',
    { run: { ...run, ended: 'blocked' }, stories: 1, lonePrompt: true, upNext: work, safeguards: calm },
    'ralph steer "…"',
  ],
  [
    'an agent that is missing',
    { run: { ...run, ended: 'unavailable' }, stories: 3, upNext: work, safeguards: calm },
    'ralph doctor',
  ],
  [
    'a limit of the provider',
    { run: { ...run, ended: 'limit' }, stories: 3, upNext: work, safeguards: limited },
    'ralph run',
  ],
  [
    'a limit that nobody wants to wait for',
    { run: { ...run, ended: 'limit' }, stories: 3, upNext: work, safeguards: impatient },
    'ralph run --on-usage-limit wait',
  ],
  ['an open breaker', { run, stories: 3, upNext: work, safeguards: open }, 'ralph circuit status'],
  ['a question', { run, stories: 3, upNext: work, safeguards: asking }, 'ralph answer Q2 "…"'],
  ['only blocked stories', { run, stories: 3, upNext: blocked, safeguards: calm }, 'ralph stories show US-004'],
  ['no run yet', { run: null, stories: 3, upNext: work, safeguards: calm }, 'ralph run --dry-run'],
  ['stories left', { run, stories: 3, upNext: work, safeguards: calm }, 'ralph run'],
] as const)('%s leads to the sensible command', (_name, situation, command) => {
  const next = nextStep({ root, lonePrompt: false, ...situation }).command;
  if (typeof command === 'string') expect(next).toBe(command);
  else expect(next).toMatch(command);
});

test('what is to come says until when the provider has to be waited for', () => {
  const why = (state: 'ended' | 'cut-off') =>
    nextStep({ root, run: { ...run, state }, stories: 3, lonePrompt: false, upNext: work, safeguards: limited }).why;
  expect(why('ended')).toMatch(/^waits for the provider until 1970-01-0\d \d\d:00, then continues$/);
  expect(why('cut-off')).toMatch(/^recovers what was cut off, then waits for the provider until /);
});

test('a lone prompt has no stories that are left', () => {
  const next = nextStep({ root, run, stories: 1, lonePrompt: true, upNext: work, safeguards: calm });
  expect(next).toEqual({ command: 'ralph run', why: 'continues with the prompt' });
});

test('a run between turns continues with its stream, or when the person who paused it says so', () => {
  const between = { ...run, state: 'between', ended: null } as const;
  const after = (safeguards: Safeguards) =>
    nextStep({ root, run: between, stories: 3, lonePrompt: false, upNext: work, safeguards });
  expect(after(calm)).toEqual({ command: 'ralph stream start 2', why: 'takes its next turn' });
  expect(after({ ...calm, waiting: { why: 'rate', since: 0, until: 60_000 } }).why).toMatch(
    /^takes its next turn, not before 1970-/,
  );
  expect(after({ ...calm, waiting: { why: 'pause', since: 0, until: null } }).command).toBe('ralph resume');
});
