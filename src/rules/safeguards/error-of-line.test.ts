import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../contracts/model.ts';
import { errorOf } from './error-of-line.ts';
import { aBadLine } from './ledger.fixture.ts';

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
