import { expect, test } from 'vitest';
import type { Story } from '../../contracts/index.ts';
import { needsAtTheEnd } from './at-the-end.ts';

type RescueMade = Parameters<typeof needsAtTheEnd>[0]['rescues'][number];

const story = (id: string, parts: Partial<Story> = {}) =>
  ({ id, title: id, passes: false, reviewStatus: null, notes: '', ...parts }) as Story;
const DONE = { passes: true, reviewStatus: 'approved' } as const;
const rescue = (parts: Partial<RescueMade>): RescueMade => ({
  name: 'r/1-1',
  story: 'US-1',
  mode: 'implement',
  reason: 'npm test was green and is red',
  hasCommit: false,
  ...parts,
});
const nothing = { stories: [], open: [], accepted: [], remembered: [], neverPassed: [], rescues: [] };

test('questions come first, then blocked stories, weakened tests, checks that never passed, notices, and open work that was rolled back', () => {
  const found = {
    kind: 'skipped',
    path: 'a.test.ts',
    line: 3,
    detail: 'one test is skipped',
    severity: 'high',
  } as const;
  const needs = needsAtTheEnd({
    stories: [
      story('US-1'),
      story('US-2', { blocked: '3 failed attempts' }),
      story('US-3', { blocked: 'question Q4: Net or gross?' }),
    ],
    open: [found],
    accepted: [{ ...found, reason: 'too slow here', story: 'US-9' }],
    remembered: [
      {
        text: 'The agent changed your uncommitted files: notes.txt.',
        fix: 'ralph rescue restore r/2-1 notes.txt',
        times: 1,
      },
      { text: 'main was moved.', times: 8 },
    ],
    neverPassed: ['npm test', 'npm run lint'],
    rescues: [rescue({ name: 'r/1-1' }), rescue({ name: 'r/4-1', reason: 'npm test is still red' })],
  });
  expect(needs.map(({ what, command }) => [what, command])).toEqual([
    ['US-3 asks: Net or gross?', 'ralph answer Q4 "…"'],
    ['US-2 is blocked: 3 failed attempts', 'ralph stories show US-2'],
    ['a weakened test that no review has accepted: a.test.ts:3: one test is skipped', null],
    ['the review of US-9 accepted a weakened test: a.test.ts:3: one test is skipped (too slow here)', null],
    ['2 checks failed before the run and never passed: npm test · npm run lint', 'ralph doctor --checks'],
    ['The agent changed your uncommitted files: notes.txt.', 'ralph rescue restore r/2-1 notes.txt'],
    ['main was moved. (8 times)', null],
    ['US-1 is not done, and its last work was rolled back: npm test is still red', 'ralph rescue show r/4-1'],
  ]);
});

test('sixteen rescues of reviewers, of stories that are done and beside accepted work need nobody', () => {
  const reviews = Array.from({ length: 16 }, (_, i) => rescue({ name: `r/${i}-1`, mode: 'review', story: 'US-1' }));
  const rescues = [...reviews, rescue({ story: 'US-2' }), rescue({ story: 'US-1', hasCommit: true })];
  expect(needsAtTheEnd({ ...nothing, stories: [story('US-1'), story('US-2', DONE)], rescues })).toEqual([]);
});
