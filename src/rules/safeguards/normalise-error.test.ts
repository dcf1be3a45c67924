import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseError } from './normalise-error.ts';

describe('normaliseError', () => {
  it.each([
    ['numbers', 'expected 12 apples, got 3.50', 'Expected 7 apples, got 1,024'],
    ['line numbers', 'TypeError at parse.ts:12:5', 'TypeError at parse.ts:340'],
    ['folders', 'cannot read /home/ann/shop/src/cart.ts', "cannot read '/srv/ci/42/shop/src/cart.ts'"],
    ['folders of Windows', 'cannot read C:\\Users\\ann\\cart.ts', 'cannot read D:\\cart.ts'],
    ['addresses', 'failed: http://127.0.0.1:4173/v1/items', 'failed: http://localhost:80/api/v1/items'],
    ['folders for temporary files', 'no such file /tmp/shop-kQzXw', 'no such file /tmp/shop-abRty'],
    ['times of day', 'started 06:27:00, gave up', 'started 23:59:01.250, gave up'],
    ['dates', 'at 2026-11-22T06:27:00.123Z: refused', 'at 2025-01-02 11:00:00: refused'],
    ['dates in words', 'at Sun, 22 Nov 2026 06:27:00 GMT: refused', 'at Mon, 5 Jan 2026 11:00:00 GMT: refused'],
    ['durations', 'timed out after 900ms', 'timed out after 12.5 s'],
    ['sizes', 'file of 12 KB is too large', 'file of 3 MB is too large'],
    ['commit ids', 'merge of 0649465 failed', 'merge of a1b2c3d4e5 failed'],
    ['uuids', 'job 0f8fad5b-d9cb-469f-a165-70867728950e died', 'job 7c9e6679-7425-40de-944b-e07fc1f90ae7 died'],
    ['memory', 'segfault at 0x7fff5fbff8c0', 'segfault at 0x0'],
    ['random ids', 'session x7kq9z was lost', 'session b4mm2w1 was lost'],
    ['colours', '\u001b[31mError\u001b[39m: no', 'error: no'],
    ['colours spelt out', 'message: \\u001b[31merror: no', 'message: error: no'],
    ['quotes and white space', 'cannot   find “cart”\n', "  cannot find 'cart'"],
    ['rules as wide as a line', '===== 1 failed =====', '======== 10 failed ========'],
  ])('takes away what differs from one time to the next: %s', (_, one, other) => {
    expect(normaliseError(one)).toBe(normaliseError(other));
    expect(normaliseError(one)).not.toBe('');
  });

  it.each([
    ['cannot find module cart', 'cannot find module basket'],
    ['src/cart.ts: expected ;', 'src/basket.ts: expected ;'],
    ['unknown digest sha1', 'unknown digest md5'],
    ['expected true to be false', 'expected false to be true'],
    ['connection refused', 'connection reset'],
  ])('keeps errors apart: %s', (one, other) => {
    expect(normaliseError(one)).not.toBe(normaliseError(other));
  });

  it('is one line of bounded length', () => {
    const text = normaliseError('word after word\n'.repeat(3000));
    expect(text).not.toContain('\n');
    expect(text.length).toBeLessThanOrEqual(600);
  });

  const parts = fc.constantFrom(
    ...'aZ09 \n\t/\\.,:;#-_+\'"=()[]\u001b─é'.split(''),
    '2026-11-22',
    '06:27',
    'nov',
    'abc1f',
    ' ms',
    '/tmp/',
  );
  const texts = fc.oneof(
    fc.array(parts, { maxLength: 60 }).map((all) => all.join('')),
    fc.string({ unit: 'binary' }),
  );

  it('changes nothing when it is done twice', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = normaliseError(text);
        expect(normaliseError(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });

  const folder = fc.array(fc.stringMatching(/^[a-z]{2,8}$/), { minLength: 1, maxLength: 4 });
  const report = (at: number, number: number, where: readonly string[], id: string) =>
    `${new Date(at).toISOString()} AssertionError in /${where.join('/')}/cart.test.ts:${number}:${number % 80}: ` +
    `expected ${number} items (${number / 8} ms, commit ${id}, /${where.join('/')})\n  at ${new Date(at).toUTCString()}`;

  it('does not see numbers, times, ids and folders', () => {
    const facts = fc.tuple(
      fc.integer({ min: 0, max: 4e12 }),
      fc.nat(),
      folder,
      fc.stringMatching(/^[a-f]\d[0-9a-f]{38}$/),
    );
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const [at, number, where, id] = other;
        // The folder named last is the name of a path, which counts.
        const same = [...where.slice(0, -1), one[2].at(-1) ?? ''];
        expect(normaliseError(report(at, number, same, id))).toBe(normaliseError(report(...one)));
      }),
    );
  });
});
