import { expect, test } from 'vitest';
import { nextStep } from './next-step.ts';
import type { RunStatus } from './status.ts';

const run: RunStatus = {
  run: 'r',
  state: 'ended',
  iteration: 3,
  maxIterations: 15,
  mode: null,
  story: null,
  lastVerdict: 'accepted',
  costUsd: null,
  ended: 'iterations',
};
const work = { kind: 'work', mode: 'implement', story: {} as never } as const;
const complete = { kind: 'complete' } as const;
const blocked = { kind: 'blocked', stories: [{ id: 'US-004', reason: 'waits' }] } as const;

test.each([
  ['a live run', { run: { ...run, state: 'running' }, stories: 3, upNext: work }, 'ralph log'],
  ['a broken backlog', { run, stories: null, upNext: null }, 'ralph validate'],
  ['an empty backlog', { run: null, stories: 0, upNext: null }, 'ralph stories add "Title" -c "criterion"'],
  ['a run that was cut off', { run: { ...run, state: 'cut-off' }, stories: 3, upNext: complete }, 'ralph run'],
  ['a finished backlog', { run, stories: 3, upNext: complete }, 'git log'],
  ['only blocked stories', { run, stories: 3, upNext: blocked }, 'ralph stories show US-004'],
  ['no run yet', { run: null, stories: 3, upNext: work }, 'ralph run --dry-run'],
  ['stories left', { run, stories: 3, upNext: work }, 'ralph run'],
] as const)('%s leads to the sensible command', (_name, situation, command) => {
  expect(nextStep(situation).command).toBe(command);
});
