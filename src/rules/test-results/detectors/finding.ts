import type { TestOutcome, TestResult } from '../api.ts';
import type { Output } from '../clean.ts';

/**
 * How much a finding proves. `summary`: the framework's own final result. `detail`: one failure in the framework's own
 * format, without its summary. `hint`: text that other programs also print.
 */
type Strength = 'summary' | 'detail' | 'hint';

export interface Finding {
  readonly framework: string;
  readonly outcome: TestOutcome;
  /** Tests; null when the output does not say. */
  readonly passed: number | null;
  readonly failed: number | null;
  readonly strength: Strength;
  /** The line that says so. */
  readonly evidence: string;
}

export interface Detector {
  readonly framework: string;
  readonly detect: (output: Output) => readonly Finding[];
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Could not run: a suite that does not load, a fixture that throws. */
  readonly errors?: number;
}

export function outcomeOf({ passed, failed, errors = 0 }: Counts): TestOutcome {
  if (failed > 0) return 'fail';
  if (errors > 0) return 'error';
  return passed > 0 ? 'pass' : 'no-tests';
}

export function summary(framework: string, counts: Counts, evidence: string): Finding {
  const { passed, failed } = counts;
  return { framework, outcome: outcomeOf(counts), passed, failed, strength: 'summary', evidence: evidence.trim() };
}

/** A finding with an outcome but no counts. */
export function uncounted(
  framework: string,
  outcome: TestOutcome,
  evidence: string,
  strength: Strength = 'summary',
): Finding {
  const none = outcome === 'no-tests' ? 0 : null;
  return { framework, outcome, passed: none, failed: none, strength, evidence: evidence.trim() };
}

/** Words and their numbers in a list like `1 failed, 2 passed`: the number of each word, 0 for an absent one. */
export function numbersIn(list: string): (word: string) => number {
  const parts = list.match(/\d{1,9} [a-z]{1,30}/gi) ?? [];
  return countWords(parts, /^(?<number>\d+) (?<word>.+)$/, '').numberOf;
}

/**
 * Adds up the numbers of all lines that match, by their word; both are named groups. The first line is the evidence,
 * unless one has the word `telling`; null without a line.
 */
export function countWords(
  lines: readonly string[],
  pattern: RegExp,
  telling: string,
): { readonly numberOf: (word: string) => number; readonly evidence: string | null } {
  const numbers = new Map<string, number>();
  let evidence: string | null = null;
  for (const line of lines) {
    const { word, number } = pattern.exec(line)?.groups ?? {};
    if (word === undefined) continue;
    numbers.set(word.toLowerCase(), (numbers.get(word.toLowerCase()) ?? 0) + Number(number));
    if (evidence === null || word === telling) evidence = line;
  }
  return { numberOf: (word) => numbers.get(word) ?? 0, evidence };
}

/** The meaning of a line without counts. */
export type Statement = readonly [line: RegExp, outcome: TestOutcome, strength?: Strength];

/** The first line that matches each pattern, as a finding without numbers. */
export function firstOf(
  framework: string,
  lines: readonly string[],
  statements: readonly Statement[],
): readonly Finding[] {
  return statements.flatMap(([pattern, outcome, strength]) => {
    const line = lines.find((each) => pattern.test(each));
    return line === undefined ? [] : [uncounted(framework, outcome, line, strength)];
  });
}

/**
 * A line with counts: `passed`, `failed`, `failed2` (another kind of failure), `errors` (tests that could not run),
 * `total` and `skipped` are its named groups. A missing `passed`, or else `failed`, is what the total leaves.
 */
export interface Count {
  readonly line: RegExp;
  /** What the next non-empty line must match; it may also hold counts. */
  readonly next?: RegExp;
  /** Only the last such line counts; by default each ends one of several runs. */
  readonly last?: true;
  readonly strength?: Strength;
  /** Absent: the counts decide. */
  readonly outcome?: TestOutcome;
}

/** How far away the next non-empty line may be. */
const NEXT_LINES = 3;

/** All lines of an output that match a row of the table. */
export function countsOf(framework: string, row: Count, lines: readonly string[]): readonly Finding[] {
  const all = lines.flatMap((line, index) => {
    const groups = row.line.exec(line);
    if (groups === null) return [];
    if (row.next === undefined) return [findingOf(framework, row, groups.groups, line)];
    const following = lines.slice(index + 1, index + 1 + NEXT_LINES).find((each) => each !== '') ?? '';
    const more = row.next.exec(following);
    if (more === null) return [];
    return [findingOf(framework, row, { ...groups.groups, ...more.groups }, `${line} ${following.trim()}`)];
  });
  return row.last ? all.slice(-1) : all;
}

function findingOf(
  framework: string,
  { outcome, strength = 'summary' }: Count,
  groups: Readonly<Record<string, string>> = {},
  line: string,
): Finding {
  if (outcome !== undefined) return uncounted(framework, outcome, line, strength);
  const count = (name: string) => Number(groups[name] ?? 0);
  const errors = count('errors');
  const ran = Math.max(0, count('total') - errors - count('skipped') - count('skipped2'));
  const isLeft = !('failed' in groups) && 'passed' in groups && 'total' in groups;
  const failed = isLeft ? Math.max(0, ran - count('passed')) : count('failed') + count('failed2');
  const passed = groups['passed'] === undefined ? Math.max(0, ran - failed) : count('passed');
  return { ...summary(framework, { passed, failed, errors }, line), strength };
}

/** In characters. */
export const LONGEST_EVIDENCE = 300;
/** A failed run counts, regardless of the others. */
const WORST_FIRST: readonly TestOutcome[] = ['fail', 'error', 'pass', 'no-tests', 'unknown'];

/** Combines several runs, the worst deciding; known numbers are added up. Null when there are none. */
export function merge(findings: readonly Finding[], confidence: number): TestResult | null {
  const worst = WORST_FIRST.map((outcome) => findings.find((finding) => finding.outcome === outcome)).find(Boolean);
  if (worst === undefined) return null;
  const { outcome, framework } = worst;
  const [passed, failed] = [sum(findings.map((each) => each.passed)), sum(findings.map((each) => each.failed))];
  return { outcome, framework, passed, failed, confidence, evidence: worst.evidence.slice(0, LONGEST_EVIDENCE) };
}

function sum(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length === 0 ? null : known.reduce((all, number) => all + number, 0);
}
