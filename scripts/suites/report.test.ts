import { expect, test } from 'vitest';
import { judgeSuite, type SuiteFacts, type VitestReport } from './report.ts';
import { add, closingLine, nothing } from './tally.ts';

const report = (...statuses: readonly string[]): VitestReport => ({
  testResults: [
    {
      name: '/repo/src/a.test.ts',
      status: statuses.includes('failed') ? 'failed' : 'passed',
      assertionResults: statuses.map((status, i) => ({
        fullName: `test ${i}`,
        status,
        failureMessages:
          status === 'failed' ? ['AssertionError: expected 1 to be 2\n    at /repo/src/a.test.ts:7:9'] : [],
      })),
    },
  ],
});

const judge = (facts: Partial<SuiteFacts>) =>
  judgeSuite({
    name: 'unit',
    report: report('passed'),
    exitCode: 0,
    strict: false,
    allowed: [],
    root: '/repo/',
    ...facts,
  });

test('passed, failed and skipped tests are counted', () => {
  const result = judge({ report: report('passed', 'passed', 'failed', 'skipped', 'todo'), exitCode: 1 });
  expect(result).toEqual({
    passed: 2,
    failed: 1,
    skipped: 2,
    faults: ["src/a.test.ts:7: test 2: AssertionError: expected 1 to be 2\n  npm test -- src/a.test.ts -t 'test 2'"],
  });
});

test('a file that does not load counts as a failure', () => {
  const notRun = [{ fullName: 'test 0', status: 'skipped' }];
  const file = { name: '/repo/src/b.test.ts', status: 'failed', message: 'Hook timed out\n', assertionResults: notRun };
  expect(judge({ report: { testResults: [file] }, exitCode: 1, strict: true })).toEqual({
    passed: 0,
    failed: 1,
    skipped: 1,
    faults: ['src/b.test.ts failed outside of its tests: Hook timed out'],
  });
});

test('a suite without a test fails', () => {
  expect(judge({ report: { testResults: [] } })).toMatchObject({ failed: 1, faults: ['unit: ran no test'] });
});

test('a run without a report fails', () => {
  expect(judge({ report: null, exitCode: null })).toMatchObject({ passed: 0, failed: 1 });
});

test('an error outside of every test fails the suite, though all its tests passed', () => {
  expect(judge({ exitCode: 1 })).toMatchObject({ passed: 1, failed: 1 });
});

test('where skips are judged, one that nobody allowed fails and an allowed one is counted', () => {
  const allowed = [{ file: 'src/a.test.ts', title: 'test 1', reason: 'needs a kernel that this machine lacks' }];
  expect(judge({ report: report('passed', 'skipped', 'skipped'), strict: true, allowed })).toEqual({
    passed: 1,
    failed: 1,
    skipped: 1,
    faults: ['skipped: src/a.test.ts: test 2'],
  });
});

test('the closing line names skipped tests only when there are some', () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(closingLine(add({ passed: 1, failed: 2, skipped: 3, faults: [] }, nothing))).toBe(
    '1 passed, 2 failed, 3 skipped',
  );
});

test('tests that were not asked for are not counted as skipped', () => {
  const tests = [
    { fullName: 'a promise', status: 'skipped', tags: ['promise'] },
    { fullName: 'a repetition', status: 'skipped', tags: ['long'] },
    { fullName: 'another test', status: 'skipped', tags: [] },
    { fullName: 'one more', status: 'passed', tags: [] },
  ];
  const some = { testResults: [{ name: '/repo/src/a.test.ts', status: 'passed', assertionResults: tests }] };
  const faults = ['skipped: src/a.test.ts: another test'];
  expect(judge({ report: some, strict: true, only: 'others' })).toMatchObject({ passed: 1, skipped: 0, faults });
  expect(judge({ report: some, only: 'promises' })).toMatchObject({ passed: 1, skipped: 1, faults: [] });
});
