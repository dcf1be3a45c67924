import { expect, test } from 'vitest';
import { type LedgerIteration, NO_USAGE, type Story } from '../../contracts/index.ts';
import { blankStory } from '../backlog/api.ts';
import type { Receipt } from '../backlog/index.ts';
import { aLine } from '../safeguards/ledger.fixture.ts';
import { collectEvidence } from './collect.ts';
import { pullRequestText, summaryMarkdown } from './texts.ts';
import { doubtWords, reviewWords } from './words.ts';

const story = (id: string, fields: Partial<Story> = {}): Story => ({
  ...blankStory(id, `Title of ${id}`, 1),
  ...fields,
});
const done = { passes: true, reviewStatus: 'approved' } as const;
const receipt = (id: string, fields: Partial<Receipt> = {}): Receipt => ({
  story: id,
  approvedAt: '2026-03-01T10:00:00.000Z',
  by: 'review',
  commits: { base: 'a'.repeat(40), head: 'b'.repeat(40), count: 2 },
  verified: true,
  checks: [{ command: 'npm test', ok: true, exitCode: 0, durationMs: 10, redAtBaseline: false }],
  reviews: 1,
  attempts: 0,
  costUsd: 2,
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  durationMs: 60_000,
  ...fields,
});
const iteration = (id: string, fields: Partial<LedgerIteration> = {}): LedgerIteration =>
  aLine({
    story: id,
    startedAt: Date.UTC(2026, 2, 1, 9),
    durationMs: 30_000,
    costUsd: 0.1,
    usage: { ...NO_USAGE, inputTokens: 10 },
    ...fields,
  });

test('the ledger says what a story cost, failures included', () => {
  const ledger = [iteration('A', { verdict: 'rejected' }), iteration('A'), iteration('gone'), iteration('B')];
  const found = collectEvidence({ stories: [story('A', done), story('B')] }, [receipt('A')], ledger);
  expect(found).toMatchObject({ done: 1, iterations: 3, costUsd: 0.3, durationMs: 90_000 });
  expect(found.stories[0]).toMatchObject({ failed: 1, iterations: 2, costUsd: 0.2, state: 'done' });
  expect(found.usage.inputTokens).toBe(30);
});

test('in another clone, which has no ledger, the receipts speak alone', () => {
  const found = collectEvidence({ stories: [story('A', done)] }, [receipt('A', { attempts: 3 })], []);
  expect(found).toMatchObject({ iterations: 0, costUsd: 2, from: found.to });
  expect(found.stories[0]).toMatchObject({ failed: 3, durationMs: 60_000 });
  expect(found.usage).toMatchObject({ inputTokens: 1, cacheWriteTokens: 4 });
});

test('what is in doubt is said: no checks, red ones, concerns, waivers, open findings, missing proof', () => {
  const finding = { id: 'F-1a2b3c4d', file: null, criterion: null, foundIn: 1, lastFoundIn: 2 };
  const found = collectEvidence(
    { stories: [story('A', done), story('B', done), story('C', done)] },
    [
      receipt('A', { verified: false, checks: [], concerns: 'slow' }),
      receipt('B', {
        by: 'cap',
        checks: [{ command: 'x | y', ok: false, exitCode: 1, durationMs: 1, redAtBaseline: true }],
        findings: [
          { ...finding, claim: 'ugly', state: 'waived', reason: 'out of scope' },
          { ...finding, claim: 'wrong', state: 'open' },
          { ...finding, claim: 'gone', state: 'resolved' },
        ],
        proof: { outcome: 'no-tests', detail: 'none changed', tests: [], command: null },
      }),
    ],
    [],
  );
  expect(doubtWords(found)).toEqual([
    'A: no checks were run.',
    'A: concerns: slow',
    'B: `x \\| y` fails.',
    'B: proof: no tests changed: none changed',
    'B: waived: ugly (out of scope)',
    'B: open: wrong (F-1a2b3c4d)',
    'C: done without a receipt.',
  ]);
  expect(reviewWords(found)).toEqual([
    'Approved by a review: 1, of these by the first one: 1.',
    'Approved by the review cap: 1.',
    'Findings: 3 (1 resolved, 0 dismissed, 1 waived, 1 open).',
  ]);
});

const facts = {
  label: '2026-03-02-x',
  project: 'shop',
  branch: 'ralph/x',
  archivedAt: Date.UTC(2026, 2, 2),
  head: 'c',
};

test('a summary has the sum, every story, and the rescues', () => {
  const found = collectEvidence({ stories: [story('A', done)] }, [receipt('A')], [iteration('A')]);
  const text = summaryMarkdown({ ...facts, rescues: [{ name: 'r/1-1', subject: 'rejected' }] }, found);
  expect(text).toContain('1 of 1 story done.');
  expect(text).toContain('| Worked on | 2026-03-01 09:00 UTC to 2026-03-01 10:00 UTC |');
  expect(text).toContain(
    '| A Title of A | done | a review | 1 | 0 | 1 of 1 ok | 2 (`aaaaaaa..bbbbbbb`) | 30s | $0.10 |',
  );
  expect(text).toContain('- `r/1-1` rejected');
});

const request = { project: 'shop', branch: 'ralph/x', base: 'main', wishes: [], diffStat: ' a | 1 +', commits: 3 };

test('a pull request takes its title from the one wish, from the one story, else from the project', () => {
  const one = collectEvidence({ stories: [story('A', done)] }, [], []);
  const two = collectEvidence({ stories: [story('A', done), story('B')] }, [], []);
  const wish = { story: 'A', title: 'Please @una', body: '' };
  expect(pullRequestText({ ...request, wishes: [wish] }, two).title).toBe('Please @\u200buna');
  expect(pullRequestText(request, one).title).toBe('A: Title of A');
  expect(pullRequestText(request, two).title).toBe('shop: 1 of 2 stories');
});

test('however long, its text is what GitHub takes', () => {
  const stories = Array.from({ length: 3000 }, (_, i) => story(`S-${i}`, { ...done, title: '|'.repeat(300) }));
  const wishes = Array.from({ length: 50 }, () => ({ story: 'A', title: 't', body: '*'.repeat(50_000) }));
  const { body } = pullRequestText(
    { ...request, wishes },
    collectEvidence(
      { stories },
      stories.map(({ id }) => receipt(id, { concerns: '*'.repeat(1000) })),
      [],
    ),
  );
  expect(body.length).toBeLessThan(65_536);
  expect(body).toMatch(/^_Shortened:/);
});
