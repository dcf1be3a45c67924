import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { categories } from '../../src/rules/guard/dangers/index.ts';
import { withRules } from './guard-table.ts';

const page = readFileSync(new URL('../../docs/guard.md', import.meta.url), 'utf8');

test('the rules of docs/guard.md are current (else: npx tsx scripts/docs-guard.ts)', () => {
  expect(withRules(page)).toBe(page);
});

test('every rule of the guard stands in the page once', () => {
  const rules = categories.flatMap(({ rules: ofKind }) => Object.keys(ofKind));
  const [, listed = ''] = page.split('<!-- rules');
  expect([...listed.matchAll(/`([\w-]+\/[\w-]+)`/g)].map((match) => match[1])).toEqual(rules);
});

test('a page without a place for the rules is refused', () => {
  expect(() => withRules('# The guard')).toThrow('the page has no place for the rules');
});
