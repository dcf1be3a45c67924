import { expect, test } from 'vitest';
import type { Receipt } from './api.ts';
import { mergeFields, mergeReceipt, readReceipts } from './reviews.ts';

const receipt: Receipt = {
  story: 'US-001',
  approvedAt: '2026-01-01T00:00:00.000Z',
  by: 'review',
  commits: { base: 'a', head: 'b', count: 1 },
  verified: true,
  checks: [],
  reviews: 1,
  attempts: 2,
  costUsd: 0.5,
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  durationMs: 5,
};

test('a receipt is kept beside what is there, and a later one takes its place', () => {
  const before =
    '{"version":1,"waivers":[1],"stories":{"US-001":{"reviewCount":1,"mine":true},"__proto__":{"notes":"n"}}}';
  const once = mergeReceipt(before, receipt);
  const twice = mergeReceipt(once, { ...receipt, by: 'cap' });
  expect(readReceipts(once)).toEqual([receipt]);
  expect(readReceipts(twice)).toEqual([{ ...receipt, by: 'cap' }]);
  const { story: _story, ...rest } = receipt;
  expect(JSON.parse(once).stories['US-001']).toEqual({ reviewCount: 1, mine: true, receipt: rest });
  expect(JSON.parse(once).waivers).toEqual([1]);
  expect(Object.keys(JSON.parse(once).stories)).toContain('__proto__');
  expect(mergeReceipt(once, receipt)).toBe(once);
});

test('there are no receipts where there is no file', () => {
  expect(readReceipts(null)).toEqual([]);
  expect(readReceipts(mergeReceipt(null, receipt))).toEqual([receipt]);
});

test('fields that do not change leave the text as it is', () => {
  const text = '{"stories":{"A":{"notes":"n"}}}';
  expect(mergeFields(text, 'A', { notes: 'n' })).toBe(text);
  expect(mergeFields(null, 'A', {})).toBeNull();
});
