import type { AcceptedFinding, TamperFinding } from '../../../contracts/model.ts';
import type { AcceptedWeakening } from '../api.ts';

/*
 * Tests that the work under review deleted, skipped or emptied. An approval answers each by its number, from 1 in the
 * order of the list; one that is silent about any of them requests changes.
 */

/** A weakened test with its number. */
export interface Numbered {
  readonly number: number;
  readonly finding: TamperFinding;
}

/** Those of the findings that nobody may pass over in silence. */
export function toAnswer(findings: readonly TamperFinding[]): readonly TamperFinding[] {
  return findings.filter(({ severity }) => severity === 'high');
}

/** What an approval says nothing about. A number that no finding has answers none. */
export function unanswered(
  findings: readonly TamperFinding[],
  accepted: readonly AcceptedFinding[],
): readonly Numbered[] {
  const numbers = new Set(accepted.map(({ finding }) => finding));
  return findings.flatMap((finding, i) => (numbers.has(i + 1) ? [] : [{ number: i + 1, finding }]));
}

/** What an approval accepts, with its reasons. */
export function acceptedAmong(
  findings: readonly TamperFinding[],
  accepted: readonly AcceptedFinding[],
): readonly AcceptedWeakening[] {
  return findings.flatMap((finding, i) => {
    const said = accepted.find(({ finding: number }) => number === i + 1);
    return said === undefined ? [] : [{ ...finding, reason: said.reason }];
  });
}

/** Feedback that names what was passed over; empty when nothing was. */
export function unansweredText(open: readonly Numbered[]): string {
  if (open.length === 0) return '';
  const lines = open.map(
    ({ number, finding: { path, line, detail } }) => `- finding ${number}: ${path}:${line}: ${detail}`,
  );
  return [
    'Tests or checks were weakened, and the approval does not say why it accepts that. Undo it, or let a review accept it by its number with a reason:',
    ...lines,
  ].join('\n');
}
