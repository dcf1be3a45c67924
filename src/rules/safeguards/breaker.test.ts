import { describe, expect, it } from 'vitest';
import type { LedgerIteration, LedgerLine } from '../../contracts/index.ts';
import { breakerOf } from './breaker.ts';
import { aBadLine, aCircuitReset, aLine, anAnswer, aReset } from './ledger.fixture.ts';

const SETTINGS = { noProgress: 3, sameError: 5, outputDecline: 70, cooldownMs: null };
const breaker = (ledger: readonly LedgerLine[], settings: Partial<typeof SETTINGS> = {}) =>
  breakerOf(ledger, { ...SETTINGS, ...settings });

/** Iterations that were refused for reasons of their own, one after the other. */
const bad = (count: number, fields: Partial<LedgerIteration> = {}) =>
  Array.from({ length: count }, (_, index) =>
    aBadLine({ iteration: index + 1, reason: 'abcde'.charAt(index % 5), startedAt: index * 10_000, ...fields }),
  );
const failed = (message: string) => aBadLine({ verdict: 'agent-error', error: { kind: 'crash', message } });
const good = aLine();

describe('bad iterations in a row', () => {
  it('half-open at one below the threshold and open at it', () => {
    expect(breaker([])).toMatchObject({
      state: 'closed',
      cause: null,
      reason: '',
      evidence: [],
      fix: [],
      since: null,
    });
    expect(breaker(bad(1)).state).toBe('closed');
    expect(breaker(bad(2))).toMatchObject({ state: 'half-open', cause: 'no-progress', since: 11_000, badInRow: 2 });
    expect(breaker(bad(3))).toMatchObject({ state: 'open', cause: 'no-progress', since: 21_000, badInRow: 3 });
  });

  it('start again after a good one, of whatever story and run', () => {
    const elsewhere = aLine({ story: 'B', run: 'r2', verdict: 'advanced' });
    expect(breaker([...bad(2), elsewhere])).toMatchObject({ state: 'closed', badInRow: 0, sameError: null });
    expect(breaker([...bad(2), elsewhere, ...bad(2)]).state).toBe('half-open');
  });

  it('are counted over runs, and past interruptions and limits', () => {
    const interrupted = aLine({ verdict: 'interrupted', counts: 'ignored' });
    const limited = aLine({ verdict: 'limited', counts: 'ignored', run: 'r2' });
    expect(breaker([...bad(2), interrupted, limited, ...bad(1, { run: 'r3' })]).state).toBe('open');
  });

  it('are not forgotten when a story is reset or a question answered', () => {
    expect(breaker([...bad(2), aReset(), anAnswer('Q1'), ...bad(1)]).state).toBe('open');
  });

  it('open at the first one with a threshold of one, and never half-open', () => {
    expect(breaker([], { noProgress: 1 }).state).toBe('closed');
    expect(breaker(bad(1), { noProgress: 1 })).toMatchObject({ state: 'open', cause: 'no-progress' });
    expect(breaker(bad(1), { noProgress: 2 }).state).toBe('half-open');
  });
});

describe('a story that runs out of attempts', () => {
  const block = (story: string) => aBadLine({ story, blocked: '3 failed attempts' });

  it('is dealt with by its block: the row starts again', () => {
    expect(breaker([...bad(2), block('A')])).toMatchObject({ state: 'closed', badInRow: 0 });
    expect(breaker([block('A')], { noProgress: 1 }).state).toBe('closed');
    expect(breaker([...bad(2), block('A'), ...bad(2)]).state).toBe('half-open');
  });

  it('opens the breaker when it is the second one with no accepted work in between', () => {
    const twice = breaker([block('A'), ...bad(1), block('B')]);
    expect(twice).toMatchObject({ state: 'open', cause: 'blocked-twice', badInRow: 0 });
    expect(twice.reason).toBe('A and B ran out of attempts, with no accepted work in between');
    expect(breaker([block('A'), aReset(), block('A')]).reason).toMatch(/^A ran out of attempts twice/);
    expect(breaker([block('A'), good, block('B')]).state).toBe('closed');
    expect(breaker([block('A'), aCircuitReset(), block('B')]).state).toBe('closed');
  });

  it('does not start the count of the same error again', () => {
    const last = { ...failed('no disk'), blocked: '3 failed attempts' };
    expect(breaker([failed('no disk'), failed('no disk'), last, failed('no disk')])).toMatchObject({
      state: 'half-open',
      cause: 'same-error',
      badInRow: 1,
    });
  });
});

describe('the same error again and again', () => {
  const LENIENT = { noProgress: 100 };
  const idle = aBadLine({ verdict: 'no-progress' });

  it('half-opens at one below the threshold and opens at it, whatever comes between', () => {
    const often = (count: number) =>
      Array.from({ length: count }, (_, n) => [idle, failed(`line ${n}: no disk`)]).flat();
    expect(breaker(often(3), LENIENT).state).toBe('closed');
    expect(breaker(often(4), LENIENT)).toMatchObject({ state: 'half-open', cause: 'same-error' });
    const open = breaker(often(5), LENIENT);
    expect(open).toMatchObject({ state: 'open', sameError: { error: 'line #: no disk', times: 5 } });
    expect(open.reason).toBe('the same error occurred 5 times since the last good iteration: line #: no disk');
  });

  it('opens at the first one with a threshold of one', () => {
    expect(breaker([failed('no disk')], { sameError: 1 })).toMatchObject({ state: 'open', cause: 'same-error' });
    expect(breaker([idle], { sameError: 1 }).state).toBe('closed');
  });

  it('is the later one of two that came equally often', () => {
    expect(breaker([failed('no disk'), failed('no net')]).sameError).toEqual({ error: 'no net', times: 1 });
    expect(breaker([failed('a'), failed('b'), failed('b'), failed('a')], LENIENT).sameError?.error).toBe('a');
  });

  it('is forgotten after a good iteration', () => {
    const four = [1, 2, 3, 4].map(() => failed('no disk'));
    expect(breaker([...four, good, ...four], LENIENT).state).toBe('half-open');
  });
});

describe('far less output than before', () => {
  const said = (outputChars: number, fields: Partial<LedgerIteration> = {}) => aLine({ outputChars, ...fields });
  const usual = [said(1000), said(1000), said(1000)];
  const short = aBadLine({ outputChars: 299 });

  it('half-opens with a bad iteration more than so many percent below the mean', () => {
    expect(breaker([...usual, short])).toMatchObject({ state: 'half-open', cause: 'output-decline' });
    expect(breaker([...usual, aBadLine({ outputChars: 300 })]).state).toBe('closed');
    expect(breaker([...usual, said(1)]).state).toBe('closed');
  });

  it('compares with the last five of the same mode, and needs three', () => {
    expect(breaker([said(1000), said(1000), short]).state).toBe('closed');
    expect(breaker([...usual, { ...short, mode: 'review' }]).state).toBe('closed');
    expect(breaker([said(9000), ...[1, 2, 3, 4, 5].map(() => said(200)), short]).state).toBe('closed');
    expect(breaker([...usual, said(1, { verdict: 'limited', counts: 'ignored' }), short]).state).toBe('half-open');
  });

  it('never opens, and stays until something good comes', () => {
    expect(breaker([...usual, short, short], { noProgress: 9 })).toMatchObject({ state: 'half-open', since: 1000 });
    expect(breaker([...usual, short, ...bad(1)], { noProgress: 9 }).cause).toBe('output-decline');
    expect(breaker([...usual, ...bad(3), short]).cause).toBe('no-progress');
    expect(breaker([...usual, short, good]).state).toBe('closed');
  });
});

describe('an open breaker', () => {
  it('takes what comes as the trial after a cool-down: good closes it, bad opens it anew', () => {
    const trial = aBadLine({ iteration: 9, startedAt: 500_000, reason: 'once more' });
    const again = breaker([...bad(3), trial]);
    expect(again).toMatchObject({ state: 'open', cause: 'no-progress', since: 501_000, badInRow: 4 });
    expect(again.reason).toBe('3 iterations in a row made no progress; the attempt after the cool-down failed, too');
    expect(again.evidence.at(-1)).toBe('iteration 9 (A, implement): rejected – once more');
    expect(breaker([...bad(3), trial, good]).state).toBe('closed');
    expect(breaker([...bad(3), aLine({ verdict: 'limited', counts: 'ignored', startedAt: 9e6 })]).since).toBe(21_000);
  });

  it('opens anew even if the trial blocks its story', () => {
    expect(breaker([...bad(3), aBadLine({ blocked: 'spent' })])).toMatchObject({ state: 'open', badInRow: 0 });
  });

  it('is closed by a person, who starts it afresh', () => {
    expect(breaker([...bad(3), aCircuitReset()])).toEqual(breaker([]));
    expect(breaker([...bad(3), aCircuitReset(), ...bad(2)])).toEqual(breaker(bad(2)));
  });

  it('says what it saw, what to look at and how to go on', () => {
    const ledger = bad(3, { story: 'US-003' }).map((line, n) => ({
      ...line,
      rescue: `refs/ralph/rescue/r1/${n + 1}-1`,
    }));
    const { evidence, fix } = breaker(ledger);
    expect(evidence).toEqual([
      'iteration 1 (US-003, implement): rejected – a',
      'iteration 2 (US-003, implement): rejected – b',
      'iteration 3 (US-003, implement): rejected – c',
    ]);
    expect(fix.join('\n')).toContain('`ralph log 3 --run r1`');
    expect(fix.join('\n')).toContain('`ralph stories show US-003`');
    expect(fix.join('\n')).toContain('`ralph rescue show r1/3-1`');
    expect(fix.join('\n')).toContain('`ralph run --reset-circuit`');
    expect(fix.join('\n')).toContain('circuit.noProgress');
  });

  it('shows the last five iterations at most', () => {
    expect(breaker(bad(8), { noProgress: 8 }).evidence).toHaveLength(5);
    expect(breaker(bad(30)).evidence).toHaveLength(5);
  });
});
