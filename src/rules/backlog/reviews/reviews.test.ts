import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Receipt } from '../api.ts';
import {
  checkReviews,
  mergeFields,
  mergeFindings,
  mergeReceipt,
  readFindings,
  readReceipt,
  readReceipts,
} from './reviews.ts';

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

test('findings are read as they were written; what is unknown or of another shape stays', () => {
  const finding = {
    id: 'F-00000001',
    file: null,
    criterion: null,
    claim: 'rename it',
    state: 'open',
    foundIn: 1,
    lastFoundIn: 1,
    later: true,
  } as const;
  const text = JSON.stringify({ stories: { A: { mine: 1, findings: [{ id: 'F-00000002', state: 'odd' }, finding] } } });
  expect(readFindings(text, 'A')).toEqual([finding]);
  expect(readFindings(text, 'B')).toEqual([]);
  expect(readFindings(null, 'A')).toEqual([]);
  const waived = { ...finding, state: 'waived' as const };
  const merged = mergeFindings(text, 'A', [waived]) ?? '';
  expect(JSON.parse(merged).stories.A).toEqual({ mine: 1, findings: [waived, { id: 'F-00000002', state: 'odd' }] });
  expect(mergeFindings(merged, 'A', [waived])).toBe(merged);
  expect(mergeFindings(null, 'A', [])).toBeNull();
});

test('a file that is written entry by entry is the same as one written whole', () => {
  const ids = fc.constantFrom('US-001', 'US-002', '__proto__', '7', 'stories', '"\n    "', 'é');
  const notes = fc.constantFrom('', '{}', '\n  }', '\n    }', '"US-001": ', '12345678901234567890');
  const starts = fc.constantFrom(
    null,
    '{"stories":{}}',
    '{"later":{"US-001":{}},"stories":{"B":{}},"last":{"US-002":{}}}',
  );
  fc.assert(
    fc.property(starts, fc.array(fc.tuple(ids, notes), { maxLength: 12 }), (start, changes) => {
      const model = new Map<string, string>();
      let text: string | null = start;
      for (const [story, note] of changes) {
        if (text !== null) expect(checkReviews(text, 'reviews.json')).toEqual([]);
        model.set(story, note);
        text = mergeFields(text, story, { notes: note });
        text = mergeReceipt(text, { ...receipt, story, durationMs: note.length });
        expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
        for (const [id, held] of model) expect(readReceipt(text, id)?.durationMs).toBe(held.length);
        expect(JSON.parse(text)).toMatchObject(start === null ? {} : { ...JSON.parse(start), stories: {} });
      }
    }),
  );
});
