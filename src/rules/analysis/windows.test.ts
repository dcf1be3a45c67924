import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Signals } from '../../contracts/state/ledger.ts';
import { aLine, aReset } from '../safeguards/ledger.fixture.ts';
import { exitBySignals, signalsOf } from './windows.ts';

const WORK: Signals = { done: false, completion: false, testOnly: false, confidence: 20 };
const DONE: Signals = { done: true, completion: true, testOnly: false, confidence: 100 };
const TEST: Signals = { done: false, completion: false, testOnly: true, confidence: 20 };
const NAMES: Readonly<Record<string, Signals>> = { w: WORK, d: DONE, t: TEST };

const history = (letters: string): readonly Signals[] => [...letters].map((letter) => NAMES[letter] ?? WORK);

describe('exitBySignals', () => {
  it.each(['dd', 'wdd', 'wwwwwwdd', 'tdd', 'dwdd', 'ttdd'])('calls %s finished', (letters) => {
    expect(exitBySignals(history(letters))?.reason).toMatch(/finished in 2 iterations in a row/);
  });

  it.each(['ttt', 'wttt', 'dttt', 'tttttttt'])('ends %s: nothing but tests', (letters) => {
    expect(exitBySignals(history(letters))?.reason).toMatch(/nothing but run or write tests/);
  });

  it.each(['', 'd', 'w', 'dw', 'dwd', 'dwdw', 'ddw', 'dtd', 'tt', 'ttw', 'ttwt', 'tttw', 'ttd', 'wwwwww'])(
    'goes on after %j',
    (letters) => {
      expect(exitBySignals(history(letters))).toBeNull();
    },
  );

  it('agrees with a naive reading of the history', () => {
    const letters = fc.array(fc.constantFrom('w', 'd', 't'), { maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(letters, (all) => {
        const expected = all.endsWith('dd') || all.endsWith('ttt');
        expect(exitBySignals(history(all)) !== null).toBe(expected);
      }),
    );
  });

  it('looks at no more than the last five', () => {
    const signals = fc.array(fc.constantFrom(WORK, DONE, TEST), { maxLength: 8 });
    const lastFive = fc.array(fc.constantFrom(WORK, DONE, TEST), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(signals, lastFive, (before, last) => {
        expect(exitBySignals([...before, ...last])).toEqual(exitBySignals(last));
      }),
    );
  });
});

describe('signalsOf', () => {
  it('collects the signals of one run in their order', () => {
    const ledger = [
      aLine({ run: 'r0', signals: DONE }),
      aLine({ iteration: 1, signals: WORK }),
      aReset(),
      aLine({ iteration: 2, signals: DONE }),
      aLine({ run: 'r2', signals: TEST }),
    ];
    expect(signalsOf(ledger, 'r1')).toEqual([WORK, DONE]);
  });

  it('passes over what was cut short, so that a limit between two iterations breaks no row', () => {
    const ledger = [
      aLine({ signals: DONE }),
      aLine({ iteration: 2, verdict: 'limited', counts: 'ignored' }),
      aLine({ iteration: 3, verdict: 'interrupted', counts: 'ignored', signals: WORK }),
      aLine({ iteration: 4, verdict: 'no-progress', counts: 'bad', signals: DONE }),
    ];
    expect(exitBySignals(signalsOf(ledger, 'r1'))).not.toBeNull();
  });

  it.each(['rejected', 'timed-out', 'agent-error'] as const)('believes nothing that was rolled back: %s', (verdict) => {
    const ledger = [
      aLine({ signals: DONE }),
      aLine({ iteration: 2, verdict, counts: 'bad', signals: DONE }),
      aLine({ iteration: 3, verdict, counts: 'bad', signals: DONE }),
    ];
    expect(exitBySignals(signalsOf(ledger, 'r1'))).toBeNull();
  });

  it('takes a line without signals as one that says nothing', () => {
    const [signals] = signalsOf([aLine()], 'r1');
    expect(signals).toEqual({ done: false, completion: false, testOnly: false, confidence: 0 });
  });

  it('is the same for a run that was stopped after any iteration: it reads nothing but lines', () => {
    const all = [WORK, DONE, TEST].map((signals, i) => aLine({ iteration: i + 1, signals }));
    for (let stop = 0; stop <= all.length; stop += 1) {
      expect([...signalsOf(all.slice(0, stop), 'r1'), ...signalsOf(all.slice(stop), 'r1')]).toEqual(
        signalsOf(all, 'r1'),
      );
    }
  });
});
