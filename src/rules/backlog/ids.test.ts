import fc from 'fast-check';
import { expect, test } from 'vitest';
import { derivedId, safeStoryId, uniqueIds } from './ids.ts';

const SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

test('safe ids stay, others become safe and stay apart', () => {
  for (const id of ['US-001', 'P1.1', 'a_b', 'x'.repeat(64)]) expect(safeStoryId(id)).toBe(id);
  const odd = ['', ' ', 'a b', 'a/b', 'a\nb', '-x', '../..', 'a..b', 'a.lock', 'a.', 'x'.repeat(65), 'é', '画面'];
  const safe = odd.map(safeStoryId);
  for (const id of safe) {
    expect(id).toMatch(SAFE);
    expect(id).not.toMatch(/\.\.|\.$|\.lock$/);
  }
  expect(new Set(safe).size).toBe(odd.length);
});

test('different ids never share a safe form', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => a === b || safeStoryId(a) !== safeStoryId(b)));
});

test('a derived id depends on the words of the title alone', () => {
  expect(derivedId('Add **login** page')).toBe(derivedId('add login  page'));
  expect(derivedId('Add login page')).not.toBe(derivedId('Add logout page'));
  expect(derivedId('画面を作る')).toMatch(SAFE);
  expect(derivedId('x'.repeat(500))).toMatch(SAFE);
});

test('ids given out are unique, whatever was wished for', () => {
  const unique = uniqueIds();
  expect(['a', 'a-2', 'a', 'a', 'b'].map(unique)).toEqual(['a', 'a-2', 'a-3', 'a-4', 'b']);
});
