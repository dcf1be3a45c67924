import { expect, test } from 'vitest';
import { isHarness, namedIn, passedTests, withScripts } from './index.ts';

test.each([
  ['Makefile', true],
  ['packages/a/vitest.config.ts', true],
  ['conftest.py', true],
  ['src/make.js', false],
  ['package.json', false],
])('%s decides how tests run: %s', (path, expected) => expect(isHarness(path)).toBe(expected));

test('a package.json gets the scripts of another one, and keeps its dependencies', () => {
  const own = JSON.stringify({ name: 'a', scripts: { test: 'true' }, jest: { bail: 1 }, dependencies: { b: '1' } });
  const made = withScripts(own, JSON.stringify({ scripts: { test: 'node --test' }, dependencies: {} }));
  expect(JSON.parse(made)).toEqual({ name: 'a', scripts: { test: 'node --test' }, dependencies: { b: '1' } });
  expect(withScripts(made, made)).toBe(made);
  expect(withScripts('{ broken', made)).toBe('{ broken');
});

test.each([
  ['node', '✔ adds two (0.51ms)\n  ✔ inner (2ms)\nℹ pass 2\n', ['adds two', 'inner']],
  ['vitest', ' ✓ src/a.test.ts > adds 3ms\n', ['src/a.test.ts > adds']],
  ['TAP', 'ok 1 - adds # time=1\nnot ok 2 - fails\n', ['adds']],
  ['go', '=== RUN   TestA\n--- PASS: TestA (0.00s)\nok  \texample.org/a\t0.1s\n', ['TestA']],
  ['unittest', 'test_a (tests.A.test_a) ... ok\ntest_b (tests.A.test_b) ... FAIL\n', ['test_a (tests.A.test_a)']],
  ['pytest', 'tests/test_a.py::test_a PASSED   [ 50%]\n', ['tests/test_a.py::test_a']],
  ['cargo', 'test tests::adds ... ok\n', ['tests::adds']],
])('names of passing tests of %s', (_, output, names) => expect(passedTests(output)).toEqual(names));

test('names count that the text of the tests has', () => {
  const names = [
    'test_a (tests.A.test_a)',
    'tests/a.py::test_b[1-2]',
    'a.test.ts > adds two',
    'Doctest: a.test_a',
    'inner::c',
  ];
  expect(namedIn('test_a test_b adds two', names)).toEqual(names.slice(0, 3));
});
