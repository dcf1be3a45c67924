import type { Claim, ReviewFinding, SaidFinding, Story } from '../../../contracts/model.ts';
import { findingsIn } from './findings.ts';
import { findingId, isSameFinding, withoutLabel } from './fingerprint.ts';

/** What one more review makes of what the earlier ones found. */
export interface Remembered {
  /** Everything the story's reviews found, with its state now; in the order in which it was found. */
  readonly findings: readonly ReviewFinding[];
  /** Open findings of this review. */
  readonly open: readonly ReviewFinding[];
  /** Ids of those that are new, or came back after they had been resolved. */
  readonly fresh: readonly string[];
  /** What it brought up although it was settled: dismissed or waived. */
  readonly dropped: readonly ReviewFinding[];
}

/**
 * One step of the memory. What is open and not found again was resolved by a change, or dismissed where nothing changed.
 * Dismissed and waived findings stay so whoever finds them; a resolved one that is found again is open again.
 */
export function remember(input: {
  readonly before: readonly ReviewFinding[];
  readonly said: readonly SaidFinding[];
  /** 1-based number of the review. */
  readonly review: number;
  /** Whether the story's work changed since the review before. */
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

/** Not to be brought up again. */
export function isSettled({ state }: Pick<ReviewFinding, 'state'>): boolean {
  return state === 'dismissed' || state === 'waived';
}

/** The earlier finding that is meant: named by its id, the same by its fingerprint, or said in other words. */
function recognise(said: SaidFinding, findings: readonly ReviewFinding[]): ReviewFinding | undefined {
  const named = /^\W*(F-[0-9a-f]{8})\b/i.exec(withoutLabel(said.claim))?.[1]?.toLowerCase();
  const id = findingId(said);
  return (
    findings.find((one) => one.id.toLowerCase() === named) ??
    findings.find((one) => one.id === id) ??
    findings.find((one) => isSameFinding(one, said))
  );
}

/** A review's claim as the memory lets it stand. */
export interface HeardReview {
  readonly claim: Claim;
  readonly memory: Remembered;
  /** It found nothing new in unchanged work: another round would say the same again. */
  readonly converged: boolean;
  /** It asked for nothing but what was settled, so that it counts as an approval. */
  readonly settledOnly: boolean;
}

/**
 * Hears a review's verdict with the earlier ones in mind; null for a claim that is no verdict. What was settled is
 * dropped from its feedback.
 */
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
  // Nothing was recognised as a point: the words stand as they are.
  if (dropped.length === 0) return as(claim);
  const ids = dropped.map(({ id, state }) => `${id} (${state})`).join(', ');
  const sentence = `The last review brought up only what was settled before: ${ids}.`;
  const notes = story.notes.trim() === '' ? sentence : `${story.notes}\n\n${sentence}`;
  return as({ kind: 'approved', source: claim.source, notes }, false, true);
}

/** Findings as feedback, one item each. */
export function feedbackText(findings: readonly SaidFinding[]): string {
  return findings
    .map(({ file, claim }) => `- ${file === null || claim.includes(file) ? '' : `${file}: `}${claim}`)
    .join('\n');
}
