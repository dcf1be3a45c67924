import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { CheckResult } from '../../contracts/index.ts';
import { errorOf } from './errors.ts';
import { aBadLine, aCrash } from './ledger.fixture.ts';

const normalised = (text: string) => errorOf(aCrash(text)) ?? '';

const failing = (tail: string, fields: Partial<CheckResult> = {}) => {
  const check = { command: 'npm test', ok: false, exitCode: 1, timedOut: false, durationMs: 1, tail, ...fields };
  return aBadLine({ failure: { reason: 'red', checks: [check], rescue: null, diffStat: null } });
};

/** The output of a test run in which `name` fails because of `why`, after so many milliseconds. */
const output = (name: string, why: string, ms: number) =>
  [
    ` ✓ sums up ${ms}ms`,
    ` × ${name} ${ms}ms`,
    `   AssertionError: ${why}`,
    `     at /projects/${ms}/cart.test.ts:${ms}:1`,
    '',
    ' Test Files  1 failed (1)',
    `      Tests  1 failed | ${ms} passed (42)`,
    `   Start at  06:27:${10 + (ms % 50)}`,
    `   Duration  ${ms}ms`,
  ].join('\n');

describe('errorOf', () => {
  it("is the agent's own where its process ended badly", () => {
    const error = { kind: 'crash', message: 'Out of memory after 12 s' } as const;
    expect(errorOf({ ...failing('x'), verdict: 'agent-error', error })).toBe('out of memory after #');
    expect(errorOf(aBadLine({ error: { kind: 'empty', message: '' } }))).toBe('empty');
  });

  it('is the first failing check with the lines that say why', () => {
    const error = errorOf(failing(output('adds an item', 'expected 1 to be 2', 7)));
    expect(error).toContain('npm test failed with exit code #');
    expect(error).toContain('× adds an item');
    expect(error).toContain('assertionerror: expected # to be #');
    expect(error).not.toContain('test files');
    expect(error).not.toContain('sums up');
  });

  it('is the same for the same failure at another time, in another folder', () => {
    const one = errorOf(failing(output('adds an item', 'expected 1 to be 2', 7)));
    expect(errorOf(failing(output('adds an item', 'expected 1 to be 3', 4711)))).toBe(one);
  });

  it('differs for another test, another assertion, another command and another end', () => {
    const one = output('adds an item', 'expected a to be b', 7);
    const errors = [
      failing(one),
      failing(output('removes an item', 'expected a to be b', 7)),
      failing(output('adds an item', 'cart is undefined', 7)),
      failing(one, { command: 'npm run lint' }),
      failing(one, { timedOut: true }),
      failing(one, { exitCode: null }),
    ].map(errorOf);
    expect(new Set(errors).size).toBe(errors.length);
  });

  it('takes the last lines when none of them tells a failure', () => {
    expect(errorOf(failing('building\nlinking\n'))).toMatch(/building linking$/);
    expect(errorOf(failing(''))).toBe('npm test failed with exit code #');
  });

  it('is the reason when the loop refused the work, and none when nothing was done', () => {
    expect(errorOf(aBadLine({ reason: 'tests were weakened: a.test.ts:3: skipped' }))).toMatch(/^tests were weakened/);
    expect(errorOf(aBadLine({ verdict: 'timed-out', reason: 'the agent ran out of time' }))).not.toBeNull();
    expect(errorOf(aBadLine({ verdict: 'no-progress' }))).toBeNull();
  });

  const corpus = '../shared/corpus/test-output.jsonl';
  it.skipIf(!existsSync(corpus))('does not see how long real test runs took, nor where they ran', () => {
    const rows = readFileSync(corpus, 'utf8')
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as Record<string, string>)
      .filter(({ label }) => label === 'fail' || label === 'error');
    const changed = rows.filter((row) => {
      const tail = `${row['stdout']}\n${row['stderr']}`.slice(-8000);
      const later = tail
        .replace(/\d+(\.\d+)?(?=\s?(ms|s|sec|seconds)\b)/g, (duration) => String(Number(duration) * 7 + 13))
        .replaceAll(`${row['cwd']}/`, '/another/folder/');
      return errorOf(failing(later)) !== errorOf(failing(tail));
    });
    expect(changed.map(({ id }) => id)).toEqual([]);
  });
});

describe('a normalised error', () => {
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
    expect(normalised(one)).toBe(normalised(other));
    expect(normalised(one)).not.toBe('crash');
  });

  it.each([
    ['cannot find module cart', 'cannot find module basket'],
    ['src/cart.ts: expected ;', 'src/basket.ts: expected ;'],
    ['unknown digest sha1', 'unknown digest md5'],
    ['expected true to be false', 'expected false to be true'],
    ['connection refused', 'connection reset'],
  ])('keeps errors apart: %s', (one, other) => {
    expect(normalised(one)).not.toBe(normalised(other));
  });

  it('is one line of bounded length', () => {
    const text = normalised('word after word\n'.repeat(3000));
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
        const once = normalised(text);
        expect(normalised(once)).toBe(once);
      }),
      { numRuns: runs(1000) },
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
        expect(normalised(report(at, number, same, id))).toBe(normalised(report(...one)));
      }),
    );
  });
});
