import { expect, test } from 'vitest';
import type { Config } from '../../contracts/index.ts';
import { blankStory } from '../backlog/api.ts';
import type { Receipt } from '../backlog/index.ts';
import { branchMessage, storyMessage } from './texts.ts';

const config = { commit: { templates: {} } } as unknown as Config;
const story = { ...blankStory('A', 'Log in', 1), passes: true, acceptanceCriteria: ['a password\nopens it'] };
const check = { ok: true, exitCode: 0, durationMs: 1, redAtBaseline: false };
const receipt = {
  by: 'review',
  approvedAt: '2026-03-01T10:00:00.000Z',
  verified: true,
  reviews: 2,
  checks: [
    { ...check, command: 'npm test' },
    { ...check, command: 'lint', ok: false, redAtBaseline: true },
  ],
  concerns: 'slow',
} as unknown as Receipt;

test('the message of a story has its title, its criteria, and what its receipt says', () => {
  expect(storyMessage(config, [{ story, receipt }])).toEqual({
    subject: 'feat(A): Log in',
    body: [
      '- a password opens it',
      '',
      'Checks passed: npm test.',
      'Checks that fail, as before the run: lint.',
      'Approved by a review on 2026-03-01 (2 reviews).',
      'Concerns: slow',
    ].join('\n'),
  });
});

test('several stories are named in one message; one that is open is said to be', () => {
  const open = { story: blankStory('B', 'Log out', 2), receipt: null };
  const { subject, body } = branchMessage(config, 'shop', [{ story, receipt: null }, open], ['by hand']);
  expect(subject).toBe('shop: 2 stories');
  expect(body).toMatch(/^A: Log in\n\n- a pass[\s\S]*without a receipt\.\n\nB: Log out\n\nNot finished\.\n\nAlso/);
  expect(storyMessage(config, [open]).subject).toBe('wip(B): Log out');
});
