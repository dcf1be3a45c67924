import type { NewStory, Story, StoryEdit, StoryFields } from '../../contracts/model.ts';
import type { BacklogDocument } from '../backlog/api.ts';
import { differs } from '../backlog/diff.ts';
import { editBacklog } from '../backlog/edit.ts';
import { nextId } from '../backlog/next-id.ts';
import { mergeFindings, mergeReceipt, readFindings, readReceipts } from '../backlog/reviews/reviews.ts';

/** A backlog before a lane took one of its stories, as it is on the branch now, and as the lane leaves it. */
export interface ThreeBacklogs {
  readonly base: BacklogDocument;
  readonly branch: BacklogDocument;
  readonly lane: BacklogDocument;
  /** Id of the lane's story. */
  readonly story: string;
}

/**
 * The backlog of the branch with what a lane did to it: where its story stands now, with findings and receipt, texts
 * that its agents changed and nobody else did, and stories that they added. Whatever the branch says of other stories
 * stays: other lanes have landed there, and people have decided.
 *
 * @throws FileProblemsError when the two do not go together, e.g. because dependencies would close a circle
 */
export function joinBacklogs({ base, branch, lane, story }: ThreeBacklogs): BacklogDocument {
  const known = storiesById(base);
  const added = lane.backlog.stories.filter(({ id }) => !known.has(id));
  const names = namesFor(added, branch.backlog.stories);
  const joined = editBacklog(branch, [
    ...inOrder(added).map((one) => ({ kind: 'add' as const, story: newStory(one, names) })),
    ...changesOf({ base, branch, lane, story }, names),
  ]);
  const reviewsText = withReviews(joined.reviewsText, lane.reviewsText, story);
  return reviewsText === joined.reviewsText ? joined : { ...joined, reviewsText };
}

function storiesById({ backlog }: BacklogDocument): ReadonlyMap<string, Story> {
  return new Map(backlog.stories.map((story) => [story.id, story]));
}

/** The ids that added stories get: their own, unless another lane was first with that one. */
function namesFor(added: readonly Story[], there: readonly Story[]): ReadonlyMap<string, string> {
  const taken = [...there.map(({ id }) => ({ id }))];
  const names = new Map<string, string>();
  for (const { id } of added) {
    const name = taken.some((one) => one.id === id) ? nextId([...taken, ...added]) : id;
    names.set(id, name);
    taken.push({ id: name });
  }
  return names;
}

/** Those that others of them depend on first: each is added to a backlog that must be valid. */
function inOrder(added: readonly Story[]): readonly Story[] {
  const ids = new Set(added.map(({ id }) => id));
  const ordered = new Map<string, Story>();
  const visit = (story: Story, above: ReadonlySet<string>): void => {
    if (ordered.has(story.id) || above.has(story.id)) return;
    const below = new Set([...above, story.id]);
    for (const one of added) if (ids.has(one.id) && story.dependsOn.includes(one.id)) visit(one, below);
    ordered.set(story.id, story);
  };
  for (const story of added) visit(story, new Set());
  return [...ordered.values()];
}

function newStory(story: Story, names: ReadonlyMap<string, string>): NewStory {
  const { id, title, description, acceptanceCriteria, priority, dependsOn, notes } = story;
  const renamed = { id: names.get(id) ?? id, dependsOn: renamedIn(dependsOn, names) };
  return { title, description, acceptanceCriteria, priority, notes, ...renamed };
}

function renamedIn(ids: readonly string[], names: ReadonlyMap<string, string>): readonly string[] {
  return ids.map((id) => names.get(id) ?? id);
}

/** Where a story stands: of its own story only the lane can say. */
const STATE = ['passes', 'reviewStatus', 'reviewCount', 'reviewFeedback'] as const;
/** What agents may change, and people and other lanes, too. */
const TEXTS = ['title', 'description', 'acceptanceCriteria', 'priority', 'dependsOn'] as const;

function changesOf(
  { base, branch, lane, story }: ThreeBacklogs,
  names: ReadonlyMap<string, string>,
): readonly StoryEdit[] {
  const before = storiesById(base);
  const now = storiesById(branch);
  return lane.backlog.stories.flatMap((after): readonly StoryEdit[] => {
    const old = before.get(after.id);
    const current = now.get(after.id);
    if (old === undefined || current === undefined) return [];
    const fields = {
      ...textsOf(old, current, { ...after, dependsOn: renamedIn(after.dependsOn, names) }),
      ...(after.id === story ? stateOf(current, after) : {}),
    };
    return Object.keys(fields).length === 0 ? [] : [{ kind: 'set', id: after.id, fields }];
  });
}

function stateOf(current: Story, after: Story): StoryFields {
  const changed = STATE.filter((name) => current[name] !== after[name]).map((name) => [name, after[name]]);
  const blocked = current.blocked === after.blocked ? {} : { blocked: after.blocked ?? null };
  return { ...Object.fromEntries(changed), ...blocked };
}

/** What only the lane changed; of notes, which only grow, the lines that the branch does not have. */
function textsOf(old: Story, current: Story, after: Story): StoryFields {
  const changed = TEXTS.filter((name) => differs(old[name], after[name]) && !differs(old[name], current[name]));
  const fields: StoryFields = Object.fromEntries(changed.map((name) => [name, after[name]]));
  if (old.notes === after.notes) return fields;
  const notes = current.notes === old.notes ? after.notes : withLines(current.notes, after.notes);
  return notes === current.notes ? fields : { ...fields, notes };
}

function withLines(notes: string, others: string): string {
  const there = new Set(notes.split('\n'));
  return [notes, ...others.split('\n').filter((line) => !there.has(line))].filter((line) => line !== '').join('\n');
}

/** What reviews of the story found in the lane, and its receipt. */
function withReviews(reviewsText: string | null, laneText: string | null, story: string): string | null {
  if (laneText === null) return reviewsText;
  const found = mergeFindings(reviewsText, story, readFindings(laneText, story));
  const receipt = readReceipts(laneText).find((one) => one.story === story);
  return receipt ? mergeReceipt(found, receipt) : found;
}
