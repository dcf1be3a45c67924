import { DECISIVE, type TestOutcome } from '../../rules/verdict/api.ts';

/** What was expected of one case, and what came out. */
export interface ScoredRow {
  /** 0-based. */
  readonly index: number;
  readonly expected: TestOutcome;
  readonly got: TestOutcome;
  readonly confidence: number;
}

export interface Score {
  readonly cases: number;
  readonly correct: number;
  /** `confusion[expected][got]` */
  readonly confusion: Readonly<Record<TestOutcome, Readonly<Record<TestOutcome, number>>>>;
  /** Of the cases called `fail`, the part that is; null when none was. */
  readonly failPrecision: number | null;
  /** Of the cases that are `fail`, the part called so. */
  readonly failRecall: number | null;
  /** Of the cases that are `fail` or `error`, the part called one of the two. */
  readonly badRecall: number | null;
  /** Cases that are neither and were called one of the two for certain: work that would be rolled back in vain. */
  readonly falseRollbacks: number;
}

export const OUTCOMES: readonly TestOutcome[] = ['pass', 'fail', 'error', 'no-tests', 'not-a-test'];

/** Adds up how well verdicts fit what was expected. Pure. */
export function scoreOf(rows: readonly ScoredRow[]): Score {
  const count = (wanted: (row: ScoredRow) => boolean) => rows.filter(wanted).length;
  const isBad = (outcome: TestOutcome) => outcome === 'fail' || outcome === 'error';
  const table = (expected: TestOutcome) =>
    byOutcome((got) => count((row) => row.expected === expected && row.got === got));
  const trueFails = count(({ expected, got }) => expected === 'fail' && got === 'fail');
  return {
    cases: rows.length,
    correct: count(({ expected, got }) => expected === got),
    confusion: byOutcome(table),
    failPrecision: ratio(
      trueFails,
      count(({ got }) => got === 'fail'),
    ),
    failRecall: ratio(
      trueFails,
      count(({ expected }) => expected === 'fail'),
    ),
    badRecall: ratio(
      count(({ expected, got }) => isBad(expected) && isBad(got)),
      count(({ expected }) => isBad(expected)),
    ),
    falseRollbacks: count(({ expected, got, confidence }) => !isBad(expected) && isBad(got) && confidence >= DECISIVE),
  };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function byOutcome<T>(value: (outcome: TestOutcome) => T): Readonly<Record<TestOutcome, T>> {
  return {
    pass: value('pass'),
    fail: value('fail'),
    error: value('error'),
    'no-tests': value('no-tests'),
    'not-a-test': value('not-a-test'),
  };
}
