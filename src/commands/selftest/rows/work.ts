import {
  APPROVED,
  changesRequested,
  completeAfter,
  editTasks,
  givenUp,
  onSum,
  READY,
  type Row,
  SUM,
  say,
  shell,
  write,
} from './row.ts';

const doneBefore = (evidence: string) => ({
  status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true, ALREADY_DONE: true, EVIDENCE: evidence },
});

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

/** As the person had it, in the first commit. */
const TEST_AGAIN = shell('git checkout -q "$(git rev-list --max-parents=0 HEAD)" -- test');

/** The first wait takes five seconds; how many there are does not depend on how long they may be. */
const SHORT_WAITS = { retries: 1, delay: '10ms', maxWait: '30m' };
const REFUSED = { fail: { kind: 'network', message: 'Connection refused (ECONNREFUSED)' } };

/** What counts as work, and what is no fault of it. */
export const WORK: readonly Row[] = [
  {
    name: 'claims-complete-without-checks',
    does: 'calls a story finished that has no check of its own, without having touched a file',
    story: { verifyCommands: [] },
    steps: [onSum([READY])],
    expect: givenUp('no-progress'),
  },
  {
    name: 'claims-done-without-evidence',
    does: 'changes nothing, says that its story was done before, and names a file that is not there as evidence',
    story: { verifyCommands: [] },
    steps: [onSum([doneBefore('src/sum.js: exports sum')])],
    expect: givenUp('no-progress'),
  },
  {
    name: 'claims-done-with-foreign-evidence',
    does: 'changes nothing, says that its story was done before, and names a file about something else as evidence',
    story: { verifyCommands: [] },
    steps: [
      onSum([doneBefore('src/cheapest.js')]),
      onSum([{ 'expect-prompt': 'check that this is already done' }, changesRequested('there is no src/sum.js')], {
        mode: 'review',
        reviewCount: 0,
      }),
    ],
    expect: completeAfter('accepted', 'accepted'),
  },
  {
    name: 'deletes-tests',
    does: 'does its work and deletes all tests of the project but one, which its reviewer passes over in silence',
    steps: [
      onSum([SUM, ONE_TEST_LEFT, READY]),
      onSum([{ 'expect-prompt': '1. test/cheapest.test.js' }, APPROVED], { mode: 'review', reviewCount: 0 }),
      onSum([{ 'expect-prompt': 'finding 1: test/cheapest.test.js' }, TEST_AGAIN, READY], { mode: 'review-fix' }),
    ],
    expect: { ...completeAfter('accepted', 'accepted'), events: ['tampering'] },
  },
  {
    name: 'rewrites-titles',
    does: 'does its work and gives every story an easier title and description',
    steps: [
      onSum([SUM, editTasks('for (const s of b.userStories) { s.title = "Anything"; s.description = ""; }'), READY]),
    ],
    expect: { ...completeAfter(), events: ['violation'] },
  },
  {
    name: 'ends-without-a-word',
    does: 'does its work and ends with exit code 0 without saying a word',
    steps: [onSum([SUM, { empty: true }], { iteration: 1 })],
    expect: { ...completeAfter('advanced'), noEvents: ['transient'] },
  },
  {
    name: 'connection-refused-then-works',
    does: 'cannot reach its provider in its first iteration, and works in the second',
    steps: [onSum([say('I begin.'), REFUSED], { iteration: 1 })],
    config: { transient: SHORT_WAITS, circuit: { noProgress: 1 } },
    expect: { ...completeAfter('limited'), events: ['transient', 'wait', 'wait-end'], noEvents: ['circuit'] },
  },
  {
    name: 'loses-its-provider-half-way',
    does: 'breaks a test of the project and is then cut off from its provider, once',
    steps: [onSum([write('src/cheapest.js', 'export const cheapest = () => 0;\n'), REFUSED], { iteration: 1 })],
    config: { transient: SHORT_WAITS, circuit: { noProgress: 1 } },
    expect: { ...completeAfter('limited'), events: ['rollback', 'wait'] },
  },
  {
    name: 'never-reachable',
    does: 'cannot reach its provider, however often it is started',
    steps: [{ when: {}, do: [REFUSED] }],
    config: { transient: { ...SHORT_WAITS, retries: 0, maxWait: '1s' } },
    expect: { exitCode: 7, reason: 'unavailable', verdicts: Array.from({ length: 17 }, () => 'limited' as const) },
  },
];
