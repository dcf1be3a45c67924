import { expect, test } from 'vitest';
import { isHarness, withScripts } from './index.ts';

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
