import type { TestOutcome, TestVerdict } from './api.ts';
import type { Finding } from './detectors/finding.ts';

/** Longest evidence, in characters. */
const LONGEST = 300;
/** A failed run counts, whatever the others did. */
const WORST_FIRST: readonly TestOutcome[] = ['fail', 'error', 'pass', 'no-tests'];

export function isBad({ outcome }: { readonly outcome: TestOutcome }): boolean {
  return outcome === 'fail' || outcome === 'error';
}

/** Several runs as one, the worst deciding; numbers are summed where they are known. Null when there are none. */
export function merge(findings: readonly Finding[], confidence: number): TestVerdict | null {
  const worst = WORST_FIRST.map((outcome) => findings.find((finding) => finding.outcome === outcome)).find(Boolean);
  if (worst === undefined) return null;
  return {
    outcome: worst.outcome,
    framework: worst.framework,
    passed: sum(findings.map(({ passed }) => passed)),
    failed: sum(findings.map(({ failed }) => failed)),
    confidence,
    evidence: worst.evidence.slice(0, LONGEST),
  };
}

/** A verdict that no detector gave. */
export function plain(outcome: TestOutcome, confidence: number, evidence: string): TestVerdict {
  return { outcome, framework: null, passed: null, failed: null, confidence, evidence: evidence.slice(0, LONGEST) };
}

function sum(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length === 0 ? null : known.reduce((all, number) => all + number, 0);
}
