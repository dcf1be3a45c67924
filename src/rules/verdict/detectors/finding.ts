import type { TestOutcome } from '../api.ts';
import type { Output } from '../clean.ts';

/**
 * How much a finding proves. `summary`: the framework's own last word. `detail`: one failure in the framework's own
 * form, of which the summary is not seen. `hint`: something that also stands in output of other programs.
 */
export type Strength = 'summary' | 'detail' | 'hint';

/** What a detector found about one run of tests. */
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
  /**
   * `runner`: one framework's own form. `protocol`: a form that many speak (TAP, JUnit XML), looked at when no runner
   * was found. `generic`: what home-made scripts print.
   */
  readonly kind: 'runner' | 'protocol' | 'generic';
  /** It is only asked when the text holds one of these: most detectors have nothing to say about most output. */
  readonly hints: readonly string[];
  readonly detect: (output: Output) => readonly Finding[];
}

/** Tests by how they ended. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Could not run: a suite that does not load, a fixture that throws. */
  readonly errors?: number;
}

/** Tests that failed make a fail; only when there are none, what could not run makes an error. */
function outcomeOf({ passed, failed, errors = 0 }: Counts): TestOutcome {
  if (failed > 0) return 'fail';
  if (errors > 0) return 'error';
  return passed > 0 ? 'pass' : 'no-tests';
}

/** A summary that counts. */
export function summary(framework: string, counts: Counts, evidence: string): Finding {
  return {
    framework,
    outcome: outcomeOf(counts),
    passed: counts.passed,
    failed: counts.failed,
    strength: 'summary',
    evidence: evidence.trim(),
  };
}

/** A finding that says how it ended, not how many. */
export function uncounted(
  framework: string,
  outcome: TestOutcome,
  evidence: string,
  strength: Strength = 'summary',
): Finding {
  const none = outcome === 'no-tests' ? 0 : null;
  return { framework, outcome, passed: none, failed: none, strength, evidence: evidence.trim() };
}

/** Words and their numbers in a list like `1 failed, 2 passed`: the number of each word, 0 for those not there. */
export function numbersIn(list: string): (word: string) => number {
  const numbers = new Map<string, number>();
  for (const [, number = '0', word = ''] of list.matchAll(/(\d{1,9}) ([a-z]{1,30})/gi)) {
    numbers.set(word.toLowerCase(), (numbers.get(word.toLowerCase()) ?? 0) + Number(number));
  }
  return (word) => numbers.get(word) ?? 0;
}

/** The first line of each pattern that fits, as a finding without numbers. */
export function firstOf(
  framework: string,
  lines: readonly string[],
  rows: readonly (readonly [pattern: RegExp, outcome: TestOutcome, strength: Strength])[],
): readonly Finding[] {
  return rows.flatMap(([pattern, outcome, strength]) => {
    const line = lines.find((each) => pattern.test(each));
    return line === undefined ? [] : [uncounted(framework, outcome, line, strength)];
  });
}
