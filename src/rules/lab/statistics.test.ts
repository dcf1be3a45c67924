import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { bootstrap, front, holm, signTest, wilson } from './statistics.ts';

const near = (values: readonly number[], digits = 3) => values.map((value) => Number(value.toFixed(digits)));

describe('the interval of Wilson', () => {
  test.each([
    [8, 10, [0.4902, 0.9433]],
    [81, 263, [0.2553, 0.3662]],
    [15, 148, [0.0624, 0.1605]],
    [0, 20, [0, 0.1611]],
    [1, 29, [0.0061, 0.1718]],
  ])('for %i of %i is the published one', (solved, n, known) => {
    expect(near(wilson(solved, n), 4)).toEqual(known);
  });

  test('has the ends at which the share is just 1.96 standard errors away', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
        for (const end of wilson(share * n, n)) {
          expect(Math.abs(share - end)).toBeCloseTo(1.959964 * Math.sqrt((end * (1 - end)) / n), 6);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the paired test', () => {
  const pairs = (better: number, worse: number, same = 0) => [
    ...Array<number>(better).fill(1),
    ...Array<number>(worse).fill(-1),
    ...Array<number>(same).fill(0),
  ];

  test.each([
    [5, 0, 0.0625],
    [6, 0, 0.03125],
    [9, 1, 0.0215],
    [10, 2, 0.0386],
    [4, 4, 1],
    [0, 0, 1],
    [6, 16, 0.0525],
    [0, 1, 1],
  ])('of %i better and %i worse is the exact test of McNemar', (better, worse, known) => {
    expect(signTest(pairs(better, worse, 7))).toBeCloseTo(known, 4);
  });

  test('equals the binomial sum for single tries', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), (better, worse) => {
        const n = better + worse;
        let term = 0.5 ** n;
        let tail = 0;
        for (let i = 0; i <= Math.min(better, worse); i++) {
          tail += term;
          term *= (n - i) / (i + 1);
        }
        expect(signTest(pairs(better, worse))).toBeCloseTo(Math.min(1, 2 * tail), 9);
      }),
      { numRuns: runs(300) },
    );
  });

  test('equals the count over all signs for shares of repeats', () => {
    const share = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(6)).map(([of, n]) => Math.min(of, n) / of);
    const differences = fc.array(
      fc.tuple(share, share).map(([a, b]) => a - b),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(differences, (all) => {
        const found = Math.abs(all.reduce((a, b) => a + b, 0)) - 1e-9;
        let far = 0;
        for (let signs = 0; signs < 2 ** all.length; signs++) {
          const total = all.reduce((sum, one, i) => sum + (signs & (2 ** i) ? one : -one), 0);
          if (Math.abs(total) >= found) far += 1;
        }
        expect(signTest(all)).toBeCloseTo(far / 2 ** all.length, 9);
      }),
      { numRuns: runs(300) },
    );
  });

  test('stays exact for a thousand pairs', () => {
    expect(signTest(pairs(500, 500))).toBeCloseTo(1, 9);
    expect(signTest(pairs(550, 450))).toBeCloseTo(0.001731, 5);
  });
});

describe('the bootstrap', () => {
  test('is the same every time, around the mean, and as wide as the normal interval of many pairs', () => {
    const differences = Array.from({ length: 400 }, (_, i) => [1, 0, 0, -1, 1][i % 5] ?? 0);
    const [low, high] = bootstrap(differences);
    expect(bootstrap(differences)).toEqual([low, high]);
    const error = 1.96 * Math.sqrt((0.6 - 0.2 ** 2) / 400);
    expect(Math.abs(low - (0.2 - error))).toBeLessThan(0.01);
    expect(Math.abs(high - (0.2 + error))).toBeLessThan(0.01);
  });

  test('stays within the differences', () => {
    const double = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(double, { minLength: 1, maxLength: 20 }), fc.nat(), (all, seed) => {
        const [low, high] = bootstrap(all, seed);
        expect(low).toBeGreaterThanOrEqual(Math.min(...all) - 1e-9);
        expect(high).toBeLessThanOrEqual(Math.max(...all) + 1e-9);
        expect(low).toBeLessThanOrEqual(high);
      }),
      { numRuns: runs(50) },
    );
  });
});

test('Holm corrects as in his example, and never makes a chance smaller or another order', () => {
  expect(near(holm([0.01, 0.04, 0.03, 0.005]))).toEqual([0.03, 0.06, 0.06, 0.02]);
  const chance = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(chance, { maxLength: 12 }), (chances) => {
      const corrected = holm(chances);
      for (const [i, p] of chances.entries()) {
        // The definition: the largest of the corrected chances up to its rank.
        const upTo = chances.filter((q) => q <= p);
        const steps = upTo.map((q) => (chances.length - chances.filter((r) => r < q).length) * q);
        expect(corrected[i]).toBeCloseTo(Math.min(1, Math.max(...steps)), 12);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('the front keeps exactly the points that no other beats', () => {
  const point = fc.record({ cost: fc.nat(5), share: fc.nat(5) });
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 10 }), (points) => {
      const kept = points.filter((_, i) => front(points)[i]);
      const beats = (a: (typeof points)[0], b: (typeof points)[0]) =>
        a.cost <= b.cost && a.share >= b.share && (a.cost < b.cost || a.share > b.share);
      expect(kept).toEqual(points.filter((one) => !points.some((other) => beats(other, one))));
      expect(kept.length).toBeGreaterThan(0);
    }),
    { numRuns: runs(300) },
  );
});
