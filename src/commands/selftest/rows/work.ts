import {
  APPROVED,
  changesRequested,
  completeAfter,
  editTasks,
  GREET,
  givenUp,
  MANY_ATTEMPTS,
  noWayForward,
  ONE_TEST_LEFT,
  onSum,
  READY,
  type Rows,
  SUM,
  say,
  shell,
  WRONG_SUM,
  write,
} from './row.ts';

const doneBefore = (evidence: string) => ({
  status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true, ALREADY_DONE: true, EVIDENCE: evidence },
});

/** Restores the user's version, from the first commit. */
const TEST_AGAIN = shell('git checkout -q "$(git rev-list --max-parents=0 HEAD)" -- test');

/** The first wait takes five seconds; the number of waits does not depend on their maximum length. */
const SHORT_WAITS = { retries: 1, delay: '10ms', maxWait: '30m' };
const REFUSED = { fail: { kind: 'network', message: 'Connection refused (ECONNREFUSED)' } };

/** What counts as work, and failures that are not its fault. */
export const WORK: Rows = {
  'claims-complete-without-checks': {
    does: 'says that a story without its own check is finished, without touching a file',
    story: { verifyCommands: [] },
    onSum: [READY],
    expect: givenUp('no-progress'),
  },
  'claims-done-without-evidence': {
    does: 'changes nothing, says that its story was done before, and names a file that is not there as evidence',
    story: { verifyCommands: [] },
    onSum: [doneBefore('src/sum.js: exports sum')],
    expect: givenUp('no-progress'),
  },
  'claims-done-with-foreign-evidence': {
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
  'deletes-tests': {
    does: 'does its work and deletes all tests of the project but one, which its reviewer ignores',
    steps: [
      onSum([SUM, ONE_TEST_LEFT, READY]),
      onSum([{ 'expect-prompt': '1. test/cheapest.test.js' }, APPROVED], { mode: 'review', reviewCount: 0 }),
      onSum([{ 'expect-prompt': 'finding 1: test/cheapest.test.js' }, TEST_AGAIN, READY], { mode: 'review-fix' }),
    ],
    expect: { ...completeAfter('accepted', 'accepted'), events: ['tampering'] },
  },
  'rewrites-titles': {
    does: 'does its work and gives every story an easier title and description',
    onSum: [SUM, editTasks('for (const s of b.userStories) { s.title = "Anything"; s.description = ""; }'), READY],
    expect: { ...completeAfter(), events: ['violation'] },
  },
  'ends-without-a-word': {
    does: 'does its work and exits with code 0 without any output',
    steps: [onSum([SUM, { empty: true }], { iteration: 1 })],
    expect: { ...completeAfter('advanced'), noEvents: ['transient'] },
  },
  'connection-refused-then-works': {
    does: 'cannot reach its provider in its first iteration, and works in the second',
    steps: [onSum([say('I begin.'), REFUSED], { iteration: 1 })],
    config: { transient: SHORT_WAITS, circuit: { noProgress: 1 } },
    expect: { ...completeAfter('limited'), events: ['transient', 'wait', 'wait-end'], noEvents: ['circuit'] },
  },
  'loses-its-provider-half-way': {
    does: 'breaks a test of the project and is then cut off from its provider, once',
    steps: [onSum([write('src/cheapest.js', 'export const cheapest = () => 0;\n'), REFUSED], { iteration: 1 })],
    config: { transient: SHORT_WAITS, circuit: { noProgress: 1 } },
    expect: { ...completeAfter('limited'), events: ['rollback', 'wait'] },
  },
  'never-reachable': {
    does: 'cannot reach its provider, at any start',
    steps: [{ when: {}, do: [REFUSED] }],
    config: { transient: { ...SHORT_WAITS, retries: 0, maxWait: '1s' } },
    expect: { exitCode: 7, reason: 'unavailable', verdicts: Array.from({ length: 17 }, () => 'limited' as const) },
  },
};

const onGreet = (command: string) => ({
  when: { story: 'US-002', mode: 'implement', attempt: 1 },
  do: [shell(command), GREET, READY],
});

/** The second story is refused once, and then done. */
const REFUSED_LATER = {
  ...completeAfter(),
  verdicts: ['accepted', 'accepted', 'rejected', 'accepted', 'accepted'],
} as const;

/** Agents that remove accepted work of another story from the branch. */
export const GOES_BACK: Rows = {
  'goes-back': {
    does: 'resets its branch by a script to before the story that was accepted, and does its own work there',
    steps: [onGreet("printf 'git reset -q --hard HEAD~2' >.git/back.sh && sh .git/back.sh && rm .git/back.sh")],
    expect: { ...REFUSED_LATER, events: ['violation', 'rollback'] },
  },
  'undoes-a-story': {
    does: 'reverts the files of the accepted story, does its own work, where that is refused at once',
    steps: [onGreet('git checkout -q HEAD~2 -- . ; git checkout -q HEAD -- ralph ; git reset -q ; rm -f src/sum.js')],
    config: { onTestTamper: 'reject' },
    expect: { ...REFUSED_LATER, events: ['tampering'] },
  },
};

/** Files of the user that git ignores. */
export const PRECIOUS: Rows = {
  'deletes-ignored-env': {
    does: "does its work and deletes the user's `private/key.txt`, which git ignores",
    onSum: [SUM, shell('rm -r private'), READY],
    expect: { ...completeAfter(), events: ['notice'] },
  },
  'changes-ignored-env': {
    does: "breaks the code at its first attempt and changes the user's `private/key.txt`, which git ignores",
    steps: [onSum([WRONG_SUM, shell('echo changed >private/key.txt'), READY], { attempt: 1 })],
    expect: { ...completeAfter('rejected'), events: ['rollback', 'notice'] },
  },
  'deletes-untracked': {
    does: "does its work and deletes the user's `draft.txt`, which git does not track",
    onSum: [SUM, shell('rm draft.txt'), READY],
    expect: { ...completeAfter(), events: ['notice'], keepsOwnFiles: true },
  },
  'clean-ignored': {
    does: 'does its work and runs `git clean -fdxq` from a script',
    onSum: [
      SUM,
      shell('git add src && echo "git clean -fdxq" >.git/tidy.sh && sh .git/tidy.sh && rm .git/tidy.sh'),
      READY,
    ],
    expect: { ...completeAfter(), events: ['notice'], keepsOwnFiles: true },
  },
};

/** Agents that fail in various ways. */
export const FAILURES: Rows = {
  'always-fails': {
    does: 'writes half a file and ends with exit code 3, every time',
    steps: [{ when: { mode: 'implement' }, do: [write('src/half.js', 'export {'), { crash: { exit: 3 } }] }],
    flags: MANY_ATTEMPTS,
    expect: noWayForward('agent-error'),
  },
  'same-error-again-and-again': {
    does: 'makes the same mistake in every iteration, with other numbers in it',
    onSum: [write('src/sum.js', 'export const sum = () => {{ITERATION}};\n'), say('Fixed.'), READY],
    flags: MANY_ATTEMPTS,
    config: { circuit: { noProgress: 9, sameError: 3 } },
    expect: noWayForward('rejected'),
  },
  'dies-by-signal': {
    does: 'writes half a file and is killed in the middle of its work',
    onSum: [write('src/half.js', 'export {'), { crash: { signal: 'SIGKILL' } }],
    expect: givenUp('agent-error'),
  },
  'empty-answer': {
    does: 'exits with code 0 without any output',
    onSum: [{ empty: true }],
    expect: { ...givenUp('agent-error'), events: ['transient'] },
  },
};

const LIMIT_WORDS = "Error 429: rate limit reached. You've hit your usage limit; it resets at 5pm.";

/** Agents that hit a limit, and agents that only talk about one. */
export const LIMITS: Rows = {
  'says-limit-in-text': {
    does: 'changes nothing and says in plain text that it hit a usage limit',
    onSum: [say(LIMIT_WORDS)],
    expect: { ...givenUp('no-progress'), noEvents: ['wait'] },
  },
  'edits-a-file-about-rate-limits': {
    does: 'does its work, and with it a page about rate limits whose words it repeats',
    onSum: [SUM, write('docs/limits.md', `# Limits\n\n${LIMIT_WORDS}\n`), say(LIMIT_WORDS), READY],
    expect: { ...completeAfter(), noEvents: ['wait'] },
  },
  'real-limit-event': {
    does: 'begins its work and is then refused by its provider, with a reset in five hours',
    onSum: [write('src/half.js', 'export {'), { limit: { kind: 'five_hour', in: '5h' } }],
    flags: ['--on-usage-limit', 'stop'],
    expect: { exitCode: 5, reason: 'limit', verdicts: ['limited'] },
  },
  'limit-with-reset': {
    does: 'begins its work and is then refused by its provider, with a reset in five seconds',
    steps: [onSum([write('src/half.js', 'export {'), { limit: { kind: 'rate_limit', in: '5s' } }], { iteration: 1 })],
    expect: { ...completeAfter('limited'), events: ['wait', 'wait-end'] },
  },
  'loses-its-login': {
    does: 'is refused by its provider because it is not logged in',
    onSum: [{ fail: { kind: 'auth', message: 'please log in' } }],
    expect: { exitCode: 7, reason: 'unavailable', verdicts: ['limited'] },
  },
  'spends-too-much': {
    does: 'spends more in one iteration than the run may cost, and would continue',
    onSum: [write('src/half.js', 'export {'), { usage: { input: 900_000, cost: 9 } }, { hang: true }],
    flags: ['--max-cost', '5'],
    expect: { exitCode: 5, reason: 'budget', verdicts: ['interrupted'], events: ['budget'] },
  },
};
