import { givenUp, onSum, READY, type Row, say, write } from './row.ts';

/** Agents that fail, each in its own way. */
export const FAILURES: readonly Row[] = [
  {
    name: 'always-fails',
    does: 'writes half a file and ends with exit code 3, every time',
    steps: [{ when: { mode: 'implement' }, do: [write('src/half.js', 'export {'), { crash: { exit: 3 } }] }],
    flags: ['--story-max-attempts', '9'],
    expect: { exitCode: 3, reason: 'circuit', verdicts: ['agent-error', 'agent-error', 'agent-error'] },
  },
  {
    name: 'same-error-again-and-again',
    does: 'makes the same mistake in every iteration, with other numbers in it',
    steps: [onSum([write('src/sum.js', 'export const sum = () => {{ITERATION}};\n'), say('Mended.'), READY])],
    flags: ['--story-max-attempts', '9'],
    config: { circuit: { noProgress: 9, sameError: 3 } },
    expect: { exitCode: 3, reason: 'circuit', verdicts: ['rejected', 'rejected', 'rejected'] },
  },
  {
    name: 'dies-by-signal',
    does: 'writes half a file and is killed in the middle of its work',
    steps: [onSum([write('src/half.js', 'export {'), { crash: { signal: 'SIGKILL' } }])],
    expect: givenUp('agent-error'),
  },
  {
    name: 'empty-answer',
    does: 'ends with exit code 0 and says not a word',
    steps: [onSum([{ empty: true }])],
    expect: { ...givenUp('agent-error'), events: ['transient'] },
  },
];
