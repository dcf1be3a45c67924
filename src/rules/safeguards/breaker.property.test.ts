import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { LedgerIteration, LedgerLine } from '../../contracts/index.ts';
import { anyLedger } from './any-ledger.fixture.ts';
import type { Breaker, GateInput } from './api.ts';
import { breakerOf } from './breaker.ts';
import { aCircuitReset, aLine, anAnswer, aReset } from './ledger.fixture.ts';

type Settings = GateInput['circuit'];

const settings: fc.Arbitrary<Settings> = fc.record({
  noProgress: fc.integer({ min: 1, max: 5 }),
  sameError: fc.integer({ min: 1, max: 6 }),
  outputDecline: fc.integer({ min: 1, max: 100 }),
  cooldownMs: fc.constant(null),
});

type Facts = Pick<Breaker, 'state' | 'cause' | 'since' | 'badInRow'> & { readonly times: number };

function factsOf({ state, cause, since, badInRow, sameError }: Breaker): Facts {
  return { state, cause, since, badInRow, times: sameError?.times ?? 0 };
}

/** The specification said once more, slowly: for every iteration, everything is looked up again in all before it. */
function model(ledger: readonly LedgerLine[], { noProgress, sameError, outputDecline }: Settings): Facts {
  let facts: Facts = { state: 'closed', cause: null, since: null, badInRow: 0, times: 0 };
  for (let index = 0; index < ledger.length; index += 1) {
    const line = ledger[index]!;
    const past = ledger.slice(0, index + 1);
    if (line.kind === 'circuit-reset' || (line.kind === 'iteration' && line.counts === 'good')) {
      facts = { state: 'closed', cause: null, since: null, badInRow: 0, times: 0 };
    }
    if (line.kind !== 'iteration' || line.counts !== 'bad') continue;
    const episode: LedgerIteration[] = [];
    for (const earlier of [...past].reverse()) {
      if (earlier.kind === 'circuit-reset' || (earlier.kind === 'iteration' && earlier.counts === 'good')) break;
      if (earlier.kind === 'iteration' && earlier.counts === 'bad') episode.unshift(earlier);
    }
    const row = episode.length - 1 - episode.map(({ blocked }) => blocked !== null).lastIndexOf(true);
    const times = Math.max(0, ...episode.map((one) => episode.filter((other) => isSame(one, other)).length));
    const now = { badInRow: row, times, since: line.startedAt + line.durationMs };
    if (facts.state === 'open') {
      facts = { ...facts, ...now };
      continue;
    }
    const hasFallen = episode.some((one) => fell(ledger, one, outputDecline));
    const [state, cause] =
      episode.filter(({ blocked }) => blocked !== null).length > 1
        ? (['open', 'blocked-twice'] as const)
        : row >= noProgress
          ? (['open', 'no-progress'] as const)
          : times >= sameError
            ? (['open', 'same-error'] as const)
            : row > 0 && row === noProgress - 1
              ? (['half-open', 'no-progress'] as const)
              : times > 0 && times === sameError - 1
                ? (['half-open', 'same-error'] as const)
                : hasFallen
                  ? (['half-open', 'output-decline'] as const)
                  : (['closed', null] as const);
    const goesOn = state === facts.state && cause === facts.cause;
    facts = { ...now, state, cause, since: state === 'closed' ? null : goesOn ? facts.since : now.since };
  }
  return facts;
}

function isSame(one: LedgerIteration, other: LedgerIteration): boolean {
  const text = ({ error, verdict, reason }: LedgerIteration) =>
    error?.message ?? (verdict === 'no-progress' ? NaN : reason);
  return text(one) === text(other);
}

function fell(ledger: readonly LedgerLine[], line: LedgerIteration, percent: number): boolean {
  const before = ledger.slice(0, ledger.indexOf(line));
  const fresh = before.slice(before.map(({ kind }) => kind).lastIndexOf('circuit-reset') + 1);
  const sizes = fresh.flatMap((one) =>
    one.kind === 'iteration' && one.counts !== 'ignored' && one.mode === line.mode ? (one.outputChars ?? []) : [],
  );
  const last = sizes.slice(-5);
  if (last.length < 3 || line.outputChars === undefined) return false;
  // Sums in hundredths: a mean may be a third, and the model must not differ by rounding.
  const sum = last.reduce((all, size) => all + size * 100, 0);
  return line.outputChars * 100 * last.length < sum - (sum * percent) / 100;
}

describe('breakerOf, against a simple model', () => {
  it('agrees with it on every ledger and all settings', () => {
    fc.assert(
      fc.property(anyLedger, settings, (ledger, circuit) => {
        expect(factsOf(breakerOf(ledger, circuit))).toEqual(model(ledger, circuit));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('explains itself exactly when it is not closed', () => {
    fc.assert(
      fc.property(anyLedger, settings, (ledger, circuit) => {
        const { state, reason, evidence, fix } = breakerOf(ledger, circuit);
        const isClosed = state === 'closed';
        expect([reason === '', evidence.length === 0, fix.length === 0]).toEqual([isClosed, isClosed, isClosed]);
        expect(evidence.length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe('breakerOf, run after run', () => {
  it('does not depend on how often it was stopped and started', () => {
    fc.assert(
      fc.property(anyLedger, settings, fc.array(fc.nat(3)), (ledger, circuit, cuts) => {
        const elsewhere = ledger.map((line, n) =>
          line.kind === 'iteration' ? { ...line, run: `r${cuts[n] ?? 0}` } : line,
        );
        expect(factsOf(breakerOf(elsewhere, circuit))).toEqual(factsOf(breakerOf(ledger, circuit)));
      }),
    );
  });

  it('says the same of the whole when it was asked at every line before', () => {
    fc.assert(
      fc.property(anyLedger, settings, (ledger, circuit) => {
        const asked = ledger.map((_, n) => breakerOf(ledger.slice(0, n + 1), circuit)).at(-1) ?? breakerOf([], circuit);
        expect(asked).toEqual(breakerOf(structuredClone(ledger), circuit));
      }),
      { numRuns: runs(50) },
    );
  });

  it('sees nothing of what was before a person closed it', () => {
    fc.assert(
      fc.property(anyLedger, anyLedger, settings, (before, after, circuit) => {
        expect(breakerOf([...before, aCircuitReset(), ...after], circuit)).toEqual(breakerOf(after, circuit));
      }),
    );
  });

  it('does not see what does not concern it, wherever that stands', () => {
    const noise = fc.constantFrom<LedgerLine>(
      aReset('A'),
      anAnswer('Q1'),
      aLine({ verdict: 'interrupted', counts: 'ignored', outputChars: 1 }),
      aLine({ verdict: 'limited', counts: 'ignored', error: { kind: 'limit', message: 'no more' } }),
    );
    fc.assert(
      fc.property(anyLedger, settings, fc.array(fc.tuple(fc.nat(), noise)), (ledger, circuit, extras) => {
        const noisy = [...ledger];
        for (const [at, line] of extras) noisy.splice(at % (noisy.length + 1), 0, line);
        expect(breakerOf(noisy, circuit)).toEqual(breakerOf(ledger, circuit));
      }),
    );
  });
});
