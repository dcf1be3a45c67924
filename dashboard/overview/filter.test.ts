import { expect, test } from 'vitest';
import type { Overview, RunSummary } from '../../src/surfaces/dashboard/index.ts';
import { groupRuns } from './filter.ts';

const run = (project: string, name: string, more: Partial<RunSummary> = {}): RunSummary => ({
  project,
  run: name,
  state: 'ended',
  startedAt: 0,
  lastEventAt: 0,
  iteration: 1,
  maxIterations: 10,
  mode: null,
  story: null,
  waiting: null,
  lastVerdict: null,
  stories: { total: 1, done: 0, blocked: 0 },
  costUsd: 0,
  agent: null,
  branch: null,
  ended: { reason: 'complete', exitCode: 0, summary: '' },
  needs: null,
  problem: null,
  ...more,
});

const told: Overview = {
  server: 's',
  version: '1',
  projects: [
    { id: 'a', name: 'app', root: '/projects/app', repository: '/projects/app/.git' },
    { id: 'b', name: 'app-2', root: '/projects/app-2', repository: '/projects/app/.git' },
    { id: 'c', name: 'site', root: '/projects/site', repository: '/projects/site/.git' },
  ],
  runs: [
    run('a', 'newest', { lastEventAt: 3 }),
    run('a', 'waits', { lastEventAt: 2, ended: null, state: 'ended', needs: 'an answer to Q1' }),
    run('b', 'at-work', { state: 'running', ended: null, lastEventAt: 2, story: { id: 'US-7', title: 'Umlauts' } }),
    run('c', 'old', { lastEventAt: 1, ended: { reason: 'circuit', exitCode: 3, summary: '' } }),
  ],
};

const names = (filter: Partial<Parameters<typeof groupRuns>[1]>) =>
  groupRuns(told, { state: 'all', project: '', text: '', ...filter }).map(({ runs }) => runs.map((one) => one.run));

test('the streams of a repository stand together, live runs first, then those that need somebody', () => {
  expect(names({})).toEqual([['at-work', 'waits', 'newest'], ['old']]);
});

test('runs are chosen by state, project and words', () => {
  expect(names({ state: 'live' })).toEqual([['at-work']]);
  expect(names({ state: 'needs' })).toEqual([['waits']]);
  expect(names({ state: 'complete' })).toEqual([['newest']]);
  expect(names({ state: 'other' })).toEqual([['waits'], ['old']]);
  expect(names({ project: 'c' })).toEqual([['old']]);
  expect(names({ text: ' umlauts ' })).toEqual([['at-work']]);
  expect(names({ text: 'nowhere' })).toEqual([]);
});
