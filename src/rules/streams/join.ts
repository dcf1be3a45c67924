import type { NewStory, Story, StoryEdit, StoryFields } from '../../contracts/index.ts';
import {
  type BacklogDocument,
  differs,
  editBacklog,
  mergeFindings,
  mergeReceipt,
  nextId,
  readFindings,
  readReceipt,
} from '../backlog/index.ts';
import { isLoopLine, linesWithout, newlineOf, sectionsOf, withoutEnd } from '../progress.ts';

/** A backlog before a lane took one of its stories, the current one on the branch, and the lane's version. */
interface ThreeBacklogs {
  readonly base: BacklogDocument;
  readonly branch: BacklogDocument;
  readonly lane: BacklogDocument;
  readonly story: string;
}

/**
 * The branch's backlog with a lane's changes: the state of its story, with findings and receipt, texts that only its
 * agents changed, and stories that they added.
 * @throws FileProblemsError when the two cannot be joined, e.g. because dependencies would form a cycle
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

/** The ids for added stories: their own, unless another lane already used that one. */
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

/** Stories that others depend on come first: each is added to a backlog that must be valid. */
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

/** The state of a story: only the lane can set it for its own story. */
const STATE = ['passes', 'reviewStatus', 'reviewCount', 'reviewFeedback'] as const;
/** Fields that agents may change, as may people and other lanes. */
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

/** The fields that only the lane changed; of notes, which only grow, the lines that the branch does not have. */
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

/** Adds the lane's findings for the story, and its receipt. */
function withReviews(reviewsText: string | null, laneText: string | null, story: string): string | null {
  if (laneText === null) return reviewsText;
  const found = mergeFindings(reviewsText, story, readFindings(laneText, story));
  const receipt = readReceipt(laneText, story);
  return receipt ? mergeReceipt(found, receipt) : found;
}

/** A progress log before a lane took its story, the current one on the branch, and the lane's version. */
interface ThreeLogs {
  readonly base: string;
  readonly branch: string;
  readonly lane: string;
  /** The run's numbers for the lane's iterations. */
  readonly numbers: ReadonlyMap<number, number>;
}

/** The branch's log with a lane's entries and patterns. Patterns that lanes rewrite stay as the branch has them. */
export function joinProgress({ base, branch, lane, numbers }: ThreeLogs): string {
  const [before, now, after] = [sectionsOf(base), sectionsOf(branch), sectionsOf(lane)];
  const patterns = withoutEnd(linesWithout(after.patterns, before.patterns)).filter(
    (line) => !now.patterns.includes(line),
  );
  // What stands above the last known line may have been cut short since, and is nothing new.
  const last = before.entries.findLast(isLoopLine);
  const below = last === undefined ? after.entries : after.entries.slice(after.entries.lastIndexOf(last) + 1);
  const entries = withoutEnd(linesWithout(below, before.entries)).map((line) => renumbered(line, numbers));
  if (patterns.length === 0 && entries.length === 0) return branch;
  const top = now.patterns.length === 0 ? [] : [...now.patterns.slice(0, -1), ...patterns, ...now.patterns.slice(-1)];
  const newline = newlineOf(branch === '' ? lane : branch);
  return `${[...top, ...withoutEnd(now.entries), ...entries].join(newline)}${newline}`;
}

/** A line of the loop with the iteration's number in the run. */
function renumbered(line: string, numbers: ReadonlyMap<number, number>): string {
  if (!isLoopLine(line)) return line;
  return line.replace(/#(\d+)/, (same, digits: string) => {
    const number = numbers.get(Number(digits));
    return number === undefined ? same : `#${number}`;
  });
}
