import type { Mode, Story, StoryRow, StoryState } from '../../contracts/index.ts';
import type { Selection, SelectOptions } from './api.ts';

/**
 * Whether nothing is left to do. `passes: true` without a review also counts ("unreviewed"): imported stories and earlier
 * `--skip-review` runs are accepted.
 */
export function isDone(story: Story): boolean {
  return story.passes && (story.reviewStatus === null || story.reviewStatus === 'approved');
}

/**
 * What to do next: any `changes_requested` → review-fix, else any `needs_review` → review (under `--skip-review`:
 * verify), else implement the first story whose dependencies are all done. Within each, the lowest priority number
 * wins, ties go by file order. Blocked stories and those of other lanes are skipped everywhere.
 * Linear in stories plus dependencies. Expects a validated backlog, yet ends on cycles and unknown ids.
 */
export function select(stories: readonly Story[], options: SelectOptions): Selection {
  const byId = onDemand(() => new Map(stories.map((story) => [story.id, story])));
  const scope =
    options.only === undefined ? stories : stories.filter((s) => s.id === options.only || s.safeId === options.only);
  let fix: Story | undefined;
  let review: Story | undefined;
  let implement: Story | undefined;
  for (const story of scope) {
    if (isDone(story) || story.blocked !== undefined || options.taken?.has(story.id)) continue;
    if (story.reviewStatus === 'changes_requested' && isBefore(story, fix)) fix = story;
    else if (story.reviewStatus === 'needs_review' && isBefore(story, review)) review = story;
    else if (story.reviewStatus === null && isBefore(story, implement) && isReady(story, byId)) implement = story;
  }
  if (fix) return work('review-fix', fix);
  if (review) return options.skipReview ? { kind: 'verify', story: review } : work('review', review);
  if (implement) return work('implement', implement);
  return nothingToDo(scope, byId(), options);
}

function onDemand<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function work(mode: Mode, story: Story): Selection {
  return { kind: 'work', mode, story };
}

function isBefore(story: Story, best: Story | undefined): boolean {
  return best === undefined || story.priority < best.priority;
}

function isReady(story: Story, byId: () => ReadonlyMap<string, Story>): boolean {
  return story.dependsOn.every((id) => {
    const dependency = byId().get(id);
    return dependency !== undefined && isDone(dependency);
  });
}

function nothingToDo(scope: readonly Story[], byId: ReadonlyMap<string, Story>, options: SelectOptions): Selection {
  const left = scope.filter((story) => !isDone(story));
  if (options.only !== undefined && scope.length === 0) {
    return { kind: 'blocked', stories: [{ id: options.only, reason: 'there is no story with this id' }] };
  }
  if (left.length === 0) return { kind: 'complete' };
  const pending = [...(options.taken ?? [])].filter((id) => {
    const story = byId.get(id);
    return story !== undefined && !isDone(story) && story.blocked === undefined;
  });
  if (pending.length > 0) return { kind: 'wait', stories: pending };
  const roots = new Map<string, Root>();
  return { kind: 'blocked', stories: left.map((story) => ({ id: story.id, reason: reasonOf(story, byId, roots) })) };
}

/** The story where a chain of dependencies is stuck, and why: `is blocked: …`, `is not done`, … */
interface Root {
  readonly id: string;
  readonly why: string;
}

/** Why this story cannot be worked on, naming the story where the chain of dependencies is stuck. */
function reasonOf(story: Story, byId: ReadonlyMap<string, Story>, roots: Map<string, Root>): string {
  const next = firstUnfinished(story, byId);
  const own = ownObstacle(story);
  if (own !== null) return own;
  if (next === undefined) return 'it is not done';
  const root = rootOf(next, byId, roots);
  return root.id === next ? `waits for ${next}, which ${root.why}` : `waits for ${next}; ${root.id} ${root.why}`;
}

function ownObstacle(story: Story): string | null {
  if (story.blocked !== undefined) return story.blocked === '' ? 'blocked without a reason' : story.blocked;
  if (story.reviewStatus === 'approved') return 'it is "approved" while passes is false: reset it, or set passes';
  return null;
}

function firstUnfinished(story: Story, byId: ReadonlyMap<string, Story>): string | undefined {
  return story.dependsOn.find((id) => {
    const dependency = byId.get(id);
    return dependency === undefined || !isDone(dependency);
  });
}

/**
 * Follows unfinished dependencies to the story that blocks the others. When nothing can be selected, every chain ends
 * at an obstacle, so the first unfinished one will do. `roots` remembers the answer for the whole path: linear.
 */
function rootOf(id: string, byId: ReadonlyMap<string, Story>, roots: Map<string, Root>): Root {
  const path = new Set<string>();
  let at = id;
  let root = roots.get(at);
  while (root === undefined) {
    const story = byId.get(at);
    const next = story && firstUnfinished(story, byId);
    const own = story && ownObstacle(story);
    if (story === undefined) root = { id: at, why: 'does not exist' };
    else if (path.has(at)) root = { id: at, why: 'depends on itself' };
    else if (own) root = { id: at, why: `is blocked: ${own}` };
    else if (next === undefined) root = { id: at, why: 'is not done' };
    path.add(at);
    if (root === undefined && next !== undefined) {
      at = next;
      root = roots.get(at);
    }
  }
  for (const step of path) roots.set(step, root);
  return root;
}

/** Done has precedence, as in selection: a story that was blocked and then done is done. */
export function storyState(story: Pick<Story, 'passes' | 'reviewStatus' | 'blocked'>): StoryState {
  if (story.passes && story.reviewStatus === 'approved') return 'done';
  if (story.passes && story.reviewStatus === null) return 'done, unreviewed';
  if (story.blocked !== undefined) return 'blocked';
  if (story.reviewStatus === 'needs_review') return 'needs review';
  return story.reviewStatus === 'changes_requested' ? 'changes requested' : 'to do';
}

export function storyRow(story: Story): StoryRow {
  const { id, title, priority, dependsOn, reviewCount, blocked = null } = story;
  return { id, title, state: storyState(story), priority, dependsOn, reviewCount, blocked };
}

/** The mode of selected work. A story that is only verified counts as a review without a reviewer. */
export function modeOf(work: Extract<Selection, { kind: 'work' | 'verify' }>): Mode {
  return work.kind === 'work' ? work.mode : 'review';
}
