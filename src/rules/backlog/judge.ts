import type {
  Backlog,
  Claim,
  Mode,
  NewStory,
  Story,
  StoryEdit,
  StoryFields,
  Violation,
} from '../../contracts/index.ts';
import type { JudgeInput, Judgement } from './api.ts';
import {
  type BacklogDiff,
  criteriaAppended,
  diffBacklogs,
  differs,
  isSplit,
  REVIEW_FIELDS,
  reviewFieldsDiffer,
  type StoryChange,
  violation,
} from './changes.ts';
import { checkTransitions, MAX_NEW_STORIES } from './transitions.ts';

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
    instead: `${file} could not be read (${cause}): its earlier content counts and is restored when the iteration ends. Change single fields and keep the file valid.`,
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

interface LegalEdits {
  readonly edits: readonly StoryEdit[];
  /** Violations that only appeared once the illegal parts were left out. */
  readonly violations: readonly Violation[];
}

/**
 * The part of an agent's changes that the loop may apply to the snapshot: notes, priorities and new stories while
 * implementing, notes and appended criteria of the selected story in every mode. Never review state. Changes that only
 * a person may make become proposals in the notes: titles, descriptions and check commands.
 */
function legalEdits(mode: Mode, selected: string, before: Backlog, after: Backlog, diff: BacklogDiff): LegalEdits {
  const added = mode === 'implement' ? newStories(before, diff.added) : [];
  const edits: StoryEdit[] = added.map((story) => ({ kind: 'add', story }));
  const violations: Violation[] = [];
  for (const change of diff.changed) {
    const fields =
      change.id === selected ? selectedFields(mode, change) : mode === 'implement' ? textFields(change) : {};
    if (change.id === selected && mode === 'implement' && differs(change.before.dependsOn, change.after.dependsOn)) {
      const split = splitOf(change, before, diff.added, added);
      if (split === 'cycle') violations.push(splitCycle(change));
      else if (split !== null) fields.dependsOn = split;
    }
    if (Object.keys(fields).length > 0) edits.push({ kind: 'set', id: change.id, fields });
  }
  const texts = mode === 'implement' ? diff.changed.map((change) => [change.id, textProposals(change)] as const) : [];
  const proposals = [...texts, [selected, checkProposals(before, after, diff)] as const];
  const proposed = proposals.reduce<readonly StoryEdit[]>((all, [id, lines]) => {
    const story = before.stories.find((one) => one.id === id);
    return story === undefined ? all : withProposals(all, story, lines);
  }, edits);
  return { edits: proposed, violations };
}

function textFields({ before, after }: StoryChange): StoryFields {
  const fields: StoryFields = {};
  if (before.priority !== after.priority) fields.priority = after.priority;
  if (before.notes !== after.notes) fields.notes = after.notes;
  return fields;
}

function selectedFields(mode: Mode, change: StoryChange): StoryFields {
  const { before, after } = change;
  const fields = mode === 'implement' ? textFields(change) : before.notes === after.notes ? {} : { notes: after.notes };
  const grown = after.acceptanceCriteria.length > before.acceptanceCriteria.length && criteriaAppended(change);
  return grown ? { ...fields, acceptanceCriteria: after.acceptanceCriteria } : fields;
}

/** At most {@link MAX_NEW_STORIES}, always unfinished, and only those whose dependencies exist afterwards. */
function newStories(before: Backlog, added: readonly Story[]): NewStory[] {
  let kept = added.slice(0, MAX_NEW_STORIES);
  for (let size = -1; size !== kept.length; ) {
    size = kept.length;
    const known = new Set([...before.stories, ...kept].map(({ id }) => id));
    kept = kept.filter((story) => story.dependsOn.every((id) => known.has(id)));
  }
  return kept.map((story) => ({
    id: story.id,
    title: story.title,
    description: story.description,
    acceptanceCriteria: story.acceptanceCriteria,
    priority: story.priority,
    dependsOn: story.dependsOn,
    notes: story.notes,
  }));
}

/** The dependencies of a split story: those of its parts that were really added; null when it was not split. */
function splitOf(
  change: StoryChange,
  before: Backlog,
  proposed: readonly Story[],
  added: readonly NewStory[],
): readonly string[] | 'cycle' | null {
  if (!isSplit(change, proposed)) return null;
  const kept = new Set(added.map(({ id }) => id));
  const dependsOn = change.after.dependsOn.filter((id) => change.before.dependsOn.includes(id) || kept.has(id));
  if (!differs(dependsOn, change.before.dependsOn)) return null;
  const edges = new Map<string, readonly string[]>(
    [...before.stories, ...added].map((story) => [story.id, story.dependsOn ?? []]),
  );
  return reaches(dependsOn, change.id, edges) ? 'cycle' : dependsOn;
}

/** Restoring dependencies that the agent had removed elsewhere may close a cycle that its file did not have. */
function reaches(from: readonly string[], target: string, edges: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set(from);
  for (const id of seen) {
    if (id === target) return true;
    for (const next of edges.get(id) ?? []) seen.add(next);
  }
  return false;
}

function splitCycle({ id, before, after }: StoryChange): Violation {
  return violation({
    rule: 'transition/split-cycle',
    story: id,
    field: 'dependsOn',
    from: before.dependsOn,
    to: after.dependsOn,
    instead:
      'together with the dependencies of other stories this makes a cycle; split so that no part depends on a story waiting for this one.',
  });
}

function withProposals(edits: readonly StoryEdit[], story: Story, proposals: readonly string[]): readonly StoryEdit[] {
  const own = edits.find((edit) => edit.kind === 'set' && edit.id === story.id);
  const fields = own?.kind === 'set' ? own.fields : {};
  const notes = fields.notes ?? story.notes;
  const fresh = proposals.filter((line) => !notes.includes(line));
  if (fresh.length === 0) return edits;
  const grown = [notes, ...fresh].filter((part) => part !== '').join('\n');
  const withNotes: StoryEdit = { kind: 'set', id: story.id, fields: { ...fields, notes: grown } };
  return [...edits.filter((edit) => edit !== own), withNotes];
}

/** A longer proposal is not readable in a story's notes. */
const LONGEST_PROPOSAL = 2_000;

function textProposals({ before, after }: StoryChange): readonly string[] {
  return (['title', 'description'] as const)
    .filter((field) => before[field] !== after[field])
    .map((field) => `The agent proposes the ${field}: ${JSON.stringify(after[field]).slice(0, LONGEST_PROPOSAL)}`);
}

function checkProposals(before: Backlog, after: Backlog, diff: BacklogDiff): readonly string[] {
  const lists: readonly (readonly [
    of: string,
    old: readonly string[] | undefined,
    now: readonly string[] | undefined,
  ])[] = [
    ['', before.verifyCommands, after.verifyCommands],
    ...diff.changed.map(
      (change) => [` of ${change.id}`, change.before.verifyCommands, change.after.verifyCommands] as const,
    ),
    ...diff.added.map((story) => [` of ${story.id}`, undefined, story.verifyCommands] as const),
  ];
  return lists
    .filter(([, old, now]) => differs(old, now))
    .map(([of, , now]) => `Proposed verifyCommands${of}: ${JSON.stringify(now ?? [])}`);
}
