import type { Backlog, Mode, NewStory, Story, StoryEdit, StoryFields, Violation } from '../../contracts/index.ts';
import { type BacklogDiff, criteriaAppended, differs, isSplit, type StoryChange, violation } from './changes.ts';
import { MAX_NEW_STORIES } from './transitions.ts';

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
export function legalEdits(
  mode: Mode,
  selected: string,
  before: Backlog,
  after: Backlog,
  diff: BacklogDiff,
): LegalEdits {
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
      'with the dependencies of other stories as they were this closes a circle; split so that no part depends on a story waiting for this one.',
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
