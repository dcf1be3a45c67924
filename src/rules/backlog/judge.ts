import type { Backlog, Claim, Mode, Story, Violation } from '../../contracts/model.ts';
import type { JudgeInput, Judgement } from './api.ts';
import { type BacklogDiff, diffBacklogs, REVIEW_FIELDS } from './diff.ts';
import { checkInvariants } from './invariants.ts';
import { legalEdits } from './legal-edits.ts';
import { reviewFieldsDiffer } from './transitions/rule.ts';
import { checkTransitions } from './transitions.ts';
import { violation } from './violation.ts';

/**
 * Judges an agent's version of the backlog against the snapshot: what it claims about its story, which rules it broke,
 * and which of its other changes are legal. Nothing of the agent's file is taken as it is; the loop applies the legal
 * edits to the snapshot and derives review state from the claim.
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

/** Several rules may object to one field of one story; the first says enough. */
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

/** What the move of the selected story's review fields says. */
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

/**
 * What the selected story's state says by itself. A worker that marks its own story done says "ready" with too strong a
 * word. A reviewer's verdict counts only if its edit is legal: with any rule on its review fields broken it is none.
 */
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
