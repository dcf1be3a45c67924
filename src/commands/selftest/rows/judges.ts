import {
  APPROVED,
  changesRequested,
  completeAfter,
  firstOnSum,
  onSum,
  READY,
  type Row,
  SUM,
  say,
  write,
} from './row.ts';

/** Green, as what is left passes. */
const ONE_TEST_LEFT = write(
  'test/cheapest.test.js',
  `import assert from 'node:assert/strict';
import test from 'node:test';
import { cheapest } from '../src/cheapest.js';

test('the lowest of several prices', () => {
  assert.equal(cheapest([300, 100, 200]), 100);
});
`,
);

/** What a reviewer is told when tests were weakened. */
const TOLD = { 'expect-prompt': 'test/cheapest.test.js' };

/** Agents that weaken the tests, and reviewers that do not review. */
export const JUDGES: readonly Row[] = [
  {
    name: 'deletes-tests-and-is-refused',
    does: 'does its work and deletes all tests of the project but one, where that is refused at once',
    steps: [firstOnSum([SUM, ONE_TEST_LEFT, READY])],
    config: { onTestTamper: 'reject' },
    expect: { ...completeAfter('rejected'), events: ['tampering'] },
  },
  {
    name: 'skips-tests',
    does: 'does its work and marks a test of the project as skipped',
    steps: [
      onSum([SUM, { edit: { path: 'test/cheapest.test.js', replace: "test('no", with: "test.skip('no" } }, READY]),
      onSum([TOLD, changesRequested('take the skip out again')], { mode: 'review', reviewCount: 0 }),
      onSum(
        [
          { edit: { path: 'test/cheapest.test.js', replace: 'test.skip', with: 'test' } },
          { story: { set: { reviewStatus: 'needs_review', reviewFeedback: '' } } },
        ],
        { mode: 'review-fix' },
      ),
    ],
    expect: { ...completeAfter('accepted', 'accepted'), events: ['tampering'] },
  },
  {
    name: 'reviews-and-fixes-in-one-go',
    does: 'reviews its story, changes the code while at it, and approves what it changed',
    steps: [
      onSum([write('src/sum.js', 'export const sum = (all) => all.reduce((a, b) => a + b, 0); // mine\n'), APPROVED], {
        mode: 'review',
        attempt: 1,
      }),
    ],
    expect: { exitCode: 0, reason: 'complete', verdicts: ['accepted', 'rejected', 'accepted', 'accepted', 'accepted'] },
  },
  {
    name: 'approves-without-running-anything',
    does: 'approves a story at once that was called finished earlier and whose check fails',
    story: { reviewStatus: 'needs_review' },
    steps: [onSum([say('Looks good to me.'), APPROVED], { mode: 'review', reviewCount: 0 })],
    expect: completeAfter('accepted'),
  },
];
