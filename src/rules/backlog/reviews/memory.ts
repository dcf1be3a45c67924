import type {
  AcceptedFinding,
  Claim,
  RequestedChange,
  ReviewFinding,
  SaidFinding,
  Story,
  TamperFinding,
} from '../../../contracts/index.ts';
import type { AcceptedWeakening } from '../api.ts';
import { findingId, findingsIn, isSameFinding, withoutLabel } from './findings.ts';

interface Remembered {
  /** Every finding of the story's reviews with its current state, in the order found. */
  readonly findings: readonly ReviewFinding[];
  readonly open: readonly ReviewFinding[];
  /** Ids of findings that are new, or came back after they had been resolved. */
  readonly fresh: readonly string[];
  /** Findings that it raised although they were settled: dismissed or waived. */
  readonly dropped: readonly ReviewFinding[];
}

/**
 * An open finding that is not found again was resolved by a change, or dismissed if nothing changed. Dismissed and
 * waived findings stay so; a resolved one found again reopens.
 */
function remember(input: {
  readonly before: readonly ReviewFinding[];
  readonly said: readonly SaidFinding[];
  /** 1-based number of the review. */
  readonly review: number;
  /** Whether the story's work changed since the previous review. */
  readonly changed: boolean;
}): Remembered {
  const { before, said, review, changed } = input;
  const findings = new Map(before.map((finding) => [finding.id, finding]));
  const found = new Set<string>();
  const fresh = new Set<string>();
  for (const one of said) {
    const known = recognise(one, [...findings.values()]);
    const id = known?.id ?? findingId(one);
    if (found.has(id)) continue;
    found.add(id);
    if (known === undefined) findings.set(id, { id, ...one, state: 'open', foundIn: review, lastFoundIn: review });
    else findings.set(id, { ...known, lastFoundIn: review, state: isSettled(known) ? known.state : 'open' });
    if (known === undefined || known.state === 'resolved') fresh.add(id);
  }
  const all = [...findings.values()].map((finding): ReviewFinding => {
    if (finding.state !== 'open' || found.has(finding.id)) return finding;
    return { ...finding, state: changed ? 'resolved' : 'dismissed' };
  });
  const again = all.filter(({ id }) => found.has(id));
  return {
    findings: all,
    open: again.filter(({ state }) => state === 'open'),
    fresh: [...fresh],
    dropped: again.filter(isSettled),
  };
}

export function isSettled({ state }: Pick<ReviewFinding, 'state'>): boolean {
  return state === 'dismissed' || state === 'waived';
}

/** The matching earlier finding: named by its id, equal by its fingerprint, or the same in other words. */
function recognise(said: SaidFinding, findings: readonly ReviewFinding[]): ReviewFinding | undefined {
  const named = /^\W*(F-[0-9a-f]{8})\b/i.exec(withoutLabel(said.claim))?.[1]?.toLowerCase();
  const id = findingId(said);
  return (
    findings.find((one) => one.id.toLowerCase() === named) ??
    findings.find((one) => one.id === id) ??
    findings.find((one) => isSameFinding(one, said))
  );
}

/** A review's claim after comparison with the memory. */
export interface HeardReview {
  readonly claim: Claim;
  readonly memory: Remembered;
  /** It found nothing new in unchanged work: another round would give the same result. */
  readonly converged: boolean;
  /** It asked only for settled points, so that it counts as an approval. */
  readonly settledOnly: boolean;
}

/** Compares a review's verdict with the earlier ones and drops settled findings from it; null for other claims. */
export function hearReview(input: {
  readonly claim: Claim | null;
  readonly story: Pick<Story, 'reviewCount' | 'acceptanceCriteria' | 'notes'>;
  readonly before: readonly ReviewFinding[];
  readonly changed: boolean;
}): HeardReview | null {
  const { claim, story, before, changed } = input;
  if (claim?.kind !== 'approved' && claim?.kind !== 'changes-requested') return null;
  const said =
    claim.kind === 'approved' ? [] : (claim.findings ?? findingsIn(claim.feedback, story.acceptanceCriteria));
  const memory = remember({ before, said, review: story.reviewCount + 1, changed });
  const { open, dropped, fresh } = memory;
  const as = (stands: Claim, converged = false, settledOnly = false) => ({
    claim: stands,
    memory,
    converged,
    settledOnly,
  });
  if (claim.kind === 'approved') return as(claim);
  const feedback = dropped.length === 0 ? claim.feedback : feedbackText(open);
  if (open.length > 0) return as({ ...claim, feedback }, !changed && fresh.length === 0);
  // No settled finding was recognised: the text stays unchanged.
  if (dropped.length === 0) return as(claim);
  const ids = dropped.map(({ id, state }) => `${id} (${state})`).join(', ');
  const sentence = `The last review raised only settled findings: ${ids}.`;
  const notes = story.notes.trim() === '' ? sentence : `${story.notes}\n\n${sentence}`;
  return as({ kind: 'approved', source: claim.source, notes }, false, true);
}

/**
 * The findings of a story after a person asked for changes. Earlier ones that no person asked for do not count any
 * more, except the waived.
 */
export function withRequested(
  before: readonly ReviewFinding[],
  changes: readonly RequestedChange[],
): readonly ReviewFinding[] {
  const findings = new Map(
    before.filter(({ state, from }) => state === 'waived' || from !== undefined).map((one) => [one.id, one]),
  );
  for (const { text, file = null, line, from = {} } of changes) {
    const place = line === undefined ? null : `${file}:${line}`;
    const claim = file === null ? text : `${place ?? file}: ${text}`;
    // Two lines may need the same change.
    const id = findingId({ file, criterion: place, claim });
    findings.set(id, { id, file, criterion: null, claim, state: 'open', foundIn: 0, lastFoundIn: 0, from });
  }
  return [...findings.values()];
}

export function feedbackText(findings: readonly SaidFinding[]): string {
  return findings
    .map(({ file, claim }) => `- ${file === null || claim.includes(file) ? '' : `${file}: `}${claim}`)
    .join('\n');
}

/**
 * Tests that the work under review weakened. An approval answers each by its number in the list, from 1; one that
 * leaves any unanswered becomes a request for changes.
 */

export interface Numbered {
  readonly number: number;
  readonly finding: TamperFinding;
}

/** The findings that an approval has to answer. */
export function toAnswer(findings: readonly TamperFinding[]): readonly TamperFinding[] {
  return findings.filter(({ severity }) => severity === 'high');
}

/** The findings that an approval leaves unanswered. A number without a finding answers none. */
export function unanswered(
  findings: readonly TamperFinding[],
  accepted: readonly AcceptedFinding[],
): readonly Numbered[] {
  const numbers = new Set(accepted.map(({ finding }) => finding));
  return findings.flatMap((finding, i) => (numbers.has(i + 1) ? [] : [{ number: i + 1, finding }]));
}

/** The findings that an approval accepts, with its reasons. */
export function acceptedAmong(
  findings: readonly TamperFinding[],
  accepted: readonly AcceptedFinding[],
): readonly AcceptedWeakening[] {
  return findings.flatMap((finding, i) => {
    const said = accepted.find(({ finding: number }) => number === i + 1);
    return said === undefined ? [] : [{ ...finding, reason: said.reason }];
  });
}

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
