import type { Backlog, Claim, Mode, Story, Violation } from '../../contracts/index.ts';
import type { JudgeInput, Judgement } from './api.ts';
import { type BacklogDiff, diffBacklogs, REVIEW_FIELDS, reviewFieldsDiffer, violation } from './changes.ts';
import { legalEdits } from './legal-edits.ts';
import { checkTransitions } from './transitions.ts';

/**
 * Judges an agent's version of the backlog against the snapshot: what it claims about its story, which rules it broke,
 * and which of its other changes are legal. The agent's file is never used directly: the loop applies the legal edits
 * to the snapshot and derives review state from the claim.
 */
export function judge(input: JudgeInput): Judgement {
  const { agent, snapshot } = input;
  if (agent === null) return { claim: null, violations: [unreadable(input)], edits: [], warnings: [] };
  const native = agent.format === 'tasks-json';
  const { skipReview, reviewCap } = input;
  if (snapshot === null) {
    const { violations, warnings } = checkInvariants(agent.backlog.stories, null, { skipReview, reviewCap, native });
    const story = agent.backlog.stories.find(({ id }) => id === input.selected);
    const warning = 'there is no snapshot of the backlog from before the iteration: transitions were not judged';
    return {
      claim: claimOfState(input.mode, story, violations),
      violations,
      edits: [],
      warnings: [warning, ...warnings],
    };
  }
  const before = snapshot.backlog;
  const after = agent.backlog;
  const diff = diffBacklogs(before, after);
  const transitions = checkTransitions({ mode: input.mode, selected: input.selected, skipReview, before, after, diff });
  const invariants = checkInvariants(after.stories, diff, { skipReview, reviewCap, native });
  const violations = withoutRepeats([...transitions, ...invariants.violations]);
  const legal = legalEdits(input.mode, input.selected, before, after, diff);
  return {
    claim: claimOfChange(input, before, diff, violations),
    violations: [...violations, ...legal.violations],
    edits: legal.edits,
    warnings: invariants.warnings,
  };
}

/** Several rules may object to one field of one story; the first is enough. */
function withoutRepeats(violations: readonly Violation[]): Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ story, field }) => {
    const key = JSON.stringify([story, field]);
    if (field === undefined || !seen.has(key)) {
      seen.add(key);
      return true;
    }
    return false;
  });
}

function unreadable({ problems, snapshot }: JudgeInput): Violation {
  const file = snapshot?.file ?? problems[0]?.file ?? 'the backlog';
  const details = problems.map((problem) => `${problem.file}:${problem.line}: ${problem.message}`).join('; ');
  const cause = details === '' ? 'it is missing' : details;
  return violation({
    rule: 'transition/backlog-unreadable',
    instead: `${file} could not be read (${cause}): what it held before counts, and is restored when the iteration ends. Change single fields and keep the file valid.`,
  });
}

/** The claim made by the change of the selected story's review fields. */
function claimOfChange(
  input: JudgeInput,
  before: Backlog,
  diff: BacklogDiff,
  violations: readonly Violation[],
): Claim | null {
  const change = diff.changed.find(({ id }) => id === input.selected);
  if (change === undefined || !reviewFieldsDiffer(change)) return null;
  const ticked = !change.before.passes && change.after.passes;
  if (input.mode === 'review' && before.format !== 'tasks-json') return ticked ? approval(change.after) : null;
  if (input.mode === 'review') return claimOfState('review', change.after, violations);
  const moved = change.before.reviewStatus !== change.after.reviewStatus;
  return ticked || moved ? claimOfState(input.mode, change.after, violations) : null;
}

/** A worker that marks its own story done only means "ready". A reviewer's verdict counts only if its edit is legal. */
function claimOfState(mode: Mode, story: Story | undefined, violations: readonly Violation[]): Claim | null {
  if (story === undefined) return null;
  if (mode !== 'review') {
    const ready = story.passes || story.reviewStatus === 'needs_review' || story.reviewStatus === 'approved';
    return ready ? { kind: 'ready', source: 'backlog' } : null;
  }
  const broken = violations.some(
    (v) => v.story === story.id && (REVIEW_FIELDS as readonly string[]).includes(v.field ?? ''),
  );
  if (broken) return null;
  if (story.reviewStatus === 'approved' && story.passes) return approval(story);
  if (story.reviewStatus !== 'changes_requested') return null;
  return { kind: 'changes-requested', source: 'backlog', feedback: story.reviewFeedback };
}

function approval(story: Story): Claim {
  return { kind: 'approved', source: 'backlog', ...(story.notes === '' ? {} : { notes: story.notes }) };
}

/**
 * What must be true of every story that changed, or of every one without a snapshot. Unchanged, imported stories are
 * not blamed on the agent.
 */
function checkInvariants(
  stories: readonly Story[],
  diff: BacklogDiff | null,
  options: { readonly skipReview: boolean; readonly reviewCap: number; readonly native: boolean },
): { readonly violations: readonly Violation[]; readonly warnings: readonly string[] } {
  const { skipReview, reviewCap, native } = options;
  const violations: Violation[] = [];
  const warnings: string[] = [];
  const check = (after: Story, before: Story | null): void => {
    const { id: story, passes, reviewStatus, reviewCount } = after;
    if (reviewStatus === 'approved' && !passes) {
      const instead = 'an approved story has passes: true; set both or neither.';
      violations.push(violation({ rule: 'invariant/approved-passes', story, field: 'passes', instead }));
    }
    // A done story with a `null` review is accepted if it was so before ("unreviewed"); no story becomes done that way.
    const newlyDone = diff !== null && passes && before?.passes !== true;
    if (newlyDone && native && !skipReview && reviewStatus !== 'approved') {
      const instead = 'a story passes only when a review approves it.';
      const moved = { field: 'passes', from: before?.passes, to: true };
      violations.push(violation({ rule: 'invariant/passes-approved', story, ...moved, instead }));
    }
    if (reviewStatus === 'changes_requested' && after.reviewFeedback.trim() === '') {
      const instead = 'requested changes need feedback that says what to change, item by item.';
      violations.push(violation({ rule: 'invariant/feedback-given', story, field: 'reviewFeedback', instead }));
    }
    // A count from before the cap was lowered is not an error, and one more review may follow.
    const most = Math.max(reviewCap, before?.reviewCount ?? 0) + 1;
    if (!Number.isInteger(reviewCount) || reviewCount < 0 || reviewCount > most) {
      const instead = `it is a whole number from 0 to ${most}.`;
      const moved = { field: 'reviewCount', from: before?.reviewCount, to: reviewCount };
      violations.push(violation({ rule: 'invariant/review-count', story, ...moved, instead }));
    } else if (reviewCount > reviewCap + 1) {
      warnings.push(`${story} has been reviewed ${reviewCount} times, more than the review cap of ${reviewCap}`);
    }
  };
  if (diff === null) for (const story of stories) check(story, null);
  for (const { before, after } of diff?.changed ?? []) check(after, before);
  for (const story of diff?.added ?? []) check(story, null);
  return { violations, warnings };
}
