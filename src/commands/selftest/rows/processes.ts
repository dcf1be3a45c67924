import { completeAfter, onSum, READY, type Row, SUM, say, write } from './row.ts';

const SLEEP = 'sleep 300';

/** US-001 is given up after one attempt, since each takes as long as the time limit. */
const OUT_OF_TIME: Pick<Row, 'expect'> = {
  expect: { exitCode: 6, reason: 'blocked', verdicts: ['timed-out', 'accepted', 'accepted'] },
};

const SIGN_OF_LIFE = [say('Still at it.'), { sleep: '250ms' }];

/** Agents whose processes do not end, or do not end alone. */
export const PROCESSES: readonly Row[] = [
  {
    name: 'hangs-silently',
    does: 'writes half a file and then hangs without a sign of life',
    steps: [onSum([write('src/half.js', 'export {'), { hang: true }])],
    flags: ['--story-max-attempts', '1', '--idle-timeout', '5s'],
    ...OUT_OF_TIME,
  },
  {
    name: 'never-ends',
    does: 'talks on and on and never ends',
    steps: [onSum([write('src/half.js', 'export {'), ...Array.from({ length: 240 }, () => SIGN_OF_LIFE).flat()])],
    flags: ['--story-max-attempts', '1', '--timeout', '8s'],
    ...OUT_OF_TIME,
  },
  {
    name: 'ignores-sigterm',
    does: 'hangs, and ignores TERM, INT and HUP',
    steps: [onSum([write('src/half.js', 'export {'), { 'ignore-term': true }, { hang: true }])],
    flags: ['--story-max-attempts', '1', '--idle-timeout', '5s'],
    ...OUT_OF_TIME,
  },
  {
    name: 'floods-output',
    does: 'does its work and prints megabytes of noise, some of it as one endless line',
    steps: [
      onSum([SUM, { flood: { bytes: 8_000_000 } }, { flood: { bytes: 8_000_000, lines: false } }, say('Done.'), READY]),
    ],
    expect: completeAfter(),
  },
  {
    name: 'leaves-background-child',
    does: 'does its work and leaves a process running in the background',
    steps: [onSum([SUM, { background: { run: SLEEP } }, READY])],
    expect: completeAfter(),
  },
  {
    name: 'leaves-detached-child',
    does: 'does its work and leaves a process running in a session of its own',
    steps: [onSum([SUM, { background: { run: SLEEP, detached: true } }, READY])],
    expect: completeAfter(),
  },
  {
    name: 'leaves-deaf-child',
    does: 'does its work and leaves a process running that ignores TERM, INT and HUP',
    steps: [onSum([SUM, { background: { run: `trap '' TERM INT HUP; ${SLEEP}; ${SLEEP}` } }, READY])],
    expect: completeAfter(),
  },
  {
    name: 'runs-ralph',
    does: 'does its work and runs `ralph run`, `ralph stories block` and `ralph stories reset`, also with RALPH_RUN_ID unset',
    steps: [
      onSum([
        SUM,
        { run: { command: 'ralph run', expect: 'fail' } },
        { run: { command: 'ralph stories block US-002 "too hard"', expect: 'fail' } },
        { run: { command: 'env -u RALPH_RUN_ID ralph run', expect: 'fail' } },
        { run: { command: 'env -u RALPH_RUN_ID ralph stories block US-002 "too hard"', expect: 'fail' } },
        { run: { command: 'env -u RALPH_RUN_ID ralph stories reset US-001', expect: 'fail' } },
        READY,
      ]),
    ],
    expect: completeAfter(),
  },
];
