import { completeAfter, givenUp, onSum, READY, type Row, SUM, say, write } from './row.ts';

const LIMIT_WORDS = "Error 429: rate limit reached. You've hit your usage limit; it resets at 5pm.";

/** Agents that hit a limit, and agents that only talk about one. */
export const LIMITS: readonly Row[] = [
  {
    name: 'says-limit-in-text',
    does: 'changes nothing and says in plain text that it hit a usage limit',
    steps: [onSum([say(LIMIT_WORDS)])],
    expect: { ...givenUp('no-progress'), noEvents: ['wait'] },
  },
  {
    name: 'edits-a-file-about-rate-limits',
    does: 'does its work, and with it a page about rate limits whose words it repeats',
    steps: [onSum([SUM, write('docs/limits.md', `# Limits\n\n${LIMIT_WORDS}\n`), say(LIMIT_WORDS), READY])],
    expect: { ...completeAfter(), noEvents: ['wait'] },
  },
  {
    name: 'real-limit-event',
    does: 'begins its work and is then refused by its provider, with a reset in five hours',
    steps: [onSum([write('src/half.js', 'export {'), { limit: { kind: 'five_hour', in: '5h' } }])],
    flags: ['--on-usage-limit', 'stop'],
    expect: { exitCode: 5, reason: 'limit', verdicts: ['limited'] },
  },
  {
    name: 'limit-with-reset',
    does: 'begins its work and is then refused by its provider, with a reset in five seconds',
    steps: [onSum([write('src/half.js', 'export {'), { limit: { kind: 'rate_limit', in: '5s' } }], { iteration: 1 })],
    expect: { ...completeAfter('limited'), events: ['wait', 'wait-end'] },
  },
  {
    name: 'loses-its-login',
    does: 'is refused by its provider because it is not logged in',
    steps: [onSum([{ fail: { kind: 'auth', message: 'please log in' } }])],
    expect: { exitCode: 7, reason: 'unavailable', verdicts: ['limited'] },
  },
  {
    name: 'spends-too-much',
    does: 'spends more in one iteration than the run may cost, and would go on',
    steps: [onSum([write('src/half.js', 'export {'), { usage: { input: 900_000, cost: 9 } }, { hang: true }])],
    flags: ['--max-cost', '5'],
    expect: { exitCode: 5, reason: 'budget', verdicts: ['interrupted'], events: ['budget'] },
  },
];
