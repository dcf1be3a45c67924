import { describe, expect, test } from 'vitest';
import type { CheckResult } from '../contracts/index.ts';
import { checksToTry, hasInlineTests, isRefused, outcomeOfFiles, outcomeOfTries, proofFiles } from './proof.ts';

type Outcome = 'pass' | 'fail' | 'no-tests';

function check(command: string, ok: boolean, outcome?: Outcome, timedOut = false): CheckResult {
  const counts = { passed: null, failed: null };
  return {
    command,
    ok,
    exitCode: ok ? 0 : 1,
    timedOut,
    durationMs: 1,
    tail: '',
    ...(outcome ? { tests: { outcome, ...counts } } : {}),
  };
}

const green = check('npm test', true, 'pass');
const red = check('npm test', false, 'fail');
const slow = check('npm test', false, undefined, true);
const none = check('npm test', false, 'no-tests');
const counted = (passed: number, failed: number, tail = '') => ({
  ...(failed > 0 ? red : green),
  tail,
  tests: { outcome: failed > 0 ? ('fail' as const) : ('pass' as const), passed, failed },
});
const naming = { ...red, tail: "Could not find 'test/b.test.js'" };
const NEW = { tests: ['test/b.test.js'], added: ['test/b.test.js'], code: ['src/b.js'] };
const outcomeOf = (base: CheckResult, withTests: CheckResult | null, files = NEW) =>
  outcomeOfTries(files, [{ command: 'npm test', base, withTests }]);

describe('what the tries tell', () => {
  test.each<[string, CheckResult, CheckResult | null, string]>([
    ['green at the base, red with the tests', green, red, 'proven'],
    ['green with the tests, too', green, green, 'passes-before'],
    ['a base without any test, red with them', none, red, 'proven'],
    ['a base without any test, green with them', none, green, 'passes-before'],
    ['where the tests ran none, nothing is known', none, none, 'inconclusive'],
    ['red for another reason, and no more so with the tests', counted(1, 1), counted(1, 1), 'inconclusive'],
    ['red, and nobody counts', red, red, 'inconclusive'],
    ['red, and with the tests more fail', counted(1, 1), counted(1, 2), 'proven'],
    ['red for want of the tests, and green with them', red, green, 'passes-before'],
    ['red because a new test is not there, and red with it', naming, red, 'proven'],
    ['red because a new test is not there, and green with it', naming, green, 'passes-before'],
    ['red because a new test is not there, and nothing ran', naming, none, 'inconclusive'],
    ['a base that takes too long', slow, null, 'inconclusive'],
    ['tests that take too long', green, slow, 'inconclusive'],
    ['tests that take too long on a red base', naming, slow, 'inconclusive'],
    ['as many tests as before, and no word of the new ones', counted(3, 0), counted(3, 0), 'no-tests'],
    ['more tests than before', counted(3, 0), counted(4, 0), 'passes-before'],
    ['as many, but the new ones are named', counted(3, 0), counted(3, 0, 'ok test/b.test.js'), 'passes-before'],
  ])('%s', (_, base, withTests, expected) => {
    expect(outcomeOf(base, withTests).outcome).toBe(expected);
  });

  test('tests that were red and are fixed, without any code, refuse nobody; a useless new one does', () => {
    const fixed = { tests: ['test/a.test.js'], added: [], code: [] };
    expect(outcomeOf(red, green, fixed).outcome).toBe('inconclusive');
    expect(outcomeOf(naming, green, { ...NEW, code: [] }).outcome).toBe('passes-before');
  });

  test('that a changed test was not run is not told by the count', () =>
    expect(outcomeOf(counted(3, 0), counted(3, 0), { ...NEW, added: [] }).outcome).toBe('passes-before'));

  test('one check that may have run them keeps another from refusing', () => {
    const other = { command: 'npm run e2e', base: red, withTests: red };
    const passedOver = { command: 'npm test', base: counted(3, 0), withTests: counted(3, 0) };
    expect(outcomeOfTries(NEW, [passedOver, other]).outcome).toBe('inconclusive');
    expect(outcomeOfTries(NEW, [passedOver])).toMatchObject({
      outcome: 'no-tests',
      detail: expect.stringContaining('no check seems to run test/b.test.js'),
    });
  });

  test('says only of those tests that they fail of which it is known', () => {
    const tests = ['test/b.test.js', 'test/c.test.js'];
    const files = { tests, added: tests, code: ['src/b.js'] };
    const detail = (idle?: readonly string[]) =>
      outcomeOfTries(files, [{ command: 'npm test', base: green, withTests: red, ...(idle ? { idle } : {}) }]).detail;
    expect(detail()).toBe(
      "with test/b.test.js, test/c.test.js and without the story's code `npm test` fails; with the code it passes",
    );
    expect(detail(tests)).toBe(detail());
    expect(detail([])).toBe("test/b.test.js, test/c.test.js fail without the story's code and pass with it");
    expect(detail(['test/c.test.js'])).toBe(
      "test/b.test.js fails without the story's code and passes with it; test/c.test.js does not fail without it",
    );
  });

  test('reasons that are known are told', () => {
    expect(outcomeOf({ ...red, notSetUp: 'npm ci' }, red).detail).toBe('`npm ci` fails at the commit before the story');
    expect(outcomeOf(red, red).detail).toMatch(/without its tests, too$/);
  });
});

test('test runs that are green are tried; without any, every green check', () => {
  expect(checksToTry([green, check('npm run lint', true)])).toEqual(['npm test']);
  expect(checksToTry([red, check('npm run lint', true)])).toEqual(['npm run lint']);
  expect(checksToTry([red])).toEqual([]);
});

describe('what the changed files tell', () => {
  const outcome = (paths: readonly string[], inline: readonly string[] = []) =>
    outcomeOfFiles(proofFiles(paths.map((path) => ({ path, status: 'modified' }))), ['npm test'], inline)?.outcome ??
    null;

  test('code without a test is refused', () => {
    expect(outcome(['src/a.js', 'README.md'])).toBe('no-tests');
    expect(isRefused({ outcome: 'no-tests' })).toBe(true);
  });
  test('code with a test is tried', () => expect(outcome(['src/a.js', 'test/a.js'])).toBeNull());
  test('documents, and nothing at all, need no test', () => {
    expect(outcome(['docs/guide.md'])).toBe('inconclusive');
    expect(outcome([])).toBe('inconclusive');
  });
  test('tests within the code cannot be tried without it', () =>
    expect(outcome(['src/lib.rs'], ['src/lib.rs'])).toBe('inconclusive'));

  test('a renamed test is laid under its new name and gone under its old one', () => {
    const files = proofFiles([
      { path: 'old.test.js', status: 'deleted' },
      { path: 'new.test.js', status: 'added' },
      { path: 'test/page.md', status: 'added' },
      { path: 'src/__snapshots__/a.test.ts.snap', status: 'added' },
    ]);
    expect(files).toEqual({
      tests: ['new.test.js'],
      added: ['new.test.js'],
      laid: ['new.test.js', 'test/page.md', 'src/__snapshots__/a.test.ts.snap'],
      gone: ['old.test.js'],
      code: [],
    });
  });

  test('helpers and fixtures are no tests, unless nothing else changed', () => {
    const tests = (...paths: readonly string[]) =>
      proofFiles(paths.map((path) => ({ path, status: 'added' as const }))).tests;
    expect(tests('test/a.js', 'test/fixtures/a.js', 'tests/conftest.py', 'test/helper.js', 'spec/data.json')).toEqual([
      'test/a.js',
    ]);
    expect(tests('src/__snapshots__/a.test.ts.snap')).toEqual(['src/__snapshots__/a.test.ts.snap']);
    expect(tests('src/test/java/ATest.java', 'src/test/resources/a.txt')).toEqual(['src/test/java/ATest.java']);
  });
});

test.each([
  ['src/lib.rs', '#[cfg(test)]\nmod tests {}', true],
  ['src/lib.rs', 'fn main() {}', false],
  ['a.py', 'def f():\n    """\n    >>> f()\n    1\n    """', true],
  ['a.ts', 'if (import.meta.vitest) {}', true],
  ['a.go', '#[test]', false],
  ['constructor', 'x', false],
])('%s holds tests of its own: %#', (path, text, expected) => {
  expect(hasInlineTests(path, text)).toBe(expected);
});
