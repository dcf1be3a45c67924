/** The project in which the examples of a command are tried; of the others it is `blocked`. */
export const PLACES: Readonly<Record<string, string>> = {
  init: 'repo',
  import: 'older',
  run: 'shop',
  'stories remove': 'told',
  'stories reject': 'stuck',
  doctor: 'told',
  'notify test': 'told',
  steer: 'live',
  pause: 'live',
  resume: 'live',
  stop: 'live',
  report: 'finished',
  archive: 'finished',
  finish: 'finished',
  'hooks status': 'samples',
  'hooks install': 'samples',
  'hooks uninstall': 'samples',
  'hooks run': 'samples',
  'guard explain': 'samples',
  'guard test': 'samples',
  'verdict explain': 'samples',
  'verdict test': 'samples',
};

/** Examples that are not tried but only read, by how they begin. */
export const NOT_TRIED: readonly (readonly [begin: string, reason: string])[] = [
  ['ralph demo', 'isolates, and takes half a minute; scripts/ci/package.ts'],
  ['ralph plan', 'starts the real client'],
  ['ralph import gh:', 'needs GitHub'],
  ['ralph stream merge --pr', 'needs GitHub'],
  ['ralph pr sync', 'needs GitHub; test/e2e/pr-sync.test.ts'],
  ['ralph finish --pr', 'needs GitHub; test/e2e/pull-request.test.ts'],
  ['ralph stream start', 'needs several PRDs; docs/parallel.md, test/e2e/streams.test.ts'],
  ['ralph stream merge', 'needs a stream; test/e2e/stream-merge.test.ts'],
  ['ralph stream logs', 'needs a stream; test/e2e/streams.test.ts'],
  ['ralph stream stop', 'needs a stream; test/e2e/streams.test.ts'],
  ['ralph stream remove', 'needs a stream; test/e2e/streams.test.ts'],
  ['ralph worker', 'needs a database; test/e2e/fleet.test.ts'],
  ['ralph fleet', 'needs a database; test/e2e/fleet.test.ts'],
  ['ralph monitor', 'takes the terminal until `q`; test/e2e/monitor.test.ts'],
  ['ralph replay', 'takes as long as the run; test/e2e/replay.test.ts'],
  ['ralph dashboard --port', 'the port may be taken'],
  ['ralph sandbox', 'what isolates depends on the machine; test/e2e/sandbox.test.ts'],
  ['ralph review', 'what there is to review differs; docs/review.md, test/e2e/review.test.ts'],
  ['ralph selftest', 'minutes; test/e2e/selftest.test.ts'],
  ['ralph lab', 'needs a history with tests; test/e2e/lab-mine.test.ts'],
  ['ralph stories waive', 'names a finding that a review has to make first'],
];

/** Commands that end only with Ctrl-C. */
export const STAYING: readonly string[] = ['dashboard'];

/** Names in examples, and the like of them in the project. (The id of a run stands for the last one anyway.) */
export const STANDS_FOR: readonly (readonly [name: string, real: string])[] = [
  ['20260101-090000-abcd/3-1', '20260101-090000-abcd/1-1'],
  ['src/login.ts', 'src/cart.js'],
  ['src/total.ts', 'src/cart.js'],
  ['output.txt', 'out.txt'],
];
