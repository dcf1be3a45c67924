import type { Story } from '../../contracts/model.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import { select } from '../backlog/select.ts';
import { storiesOverlap } from './paths-overlap.ts';

/** What a lane that is free does next. */
export type NextStory =
  | { readonly kind: 'start'; readonly story: Story }
  /** Nothing now; ask again when a story landed or was sent back. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'complete' }
  /** Whatever is left is blocked, or waits for something that is. */
  | { readonly kind: 'blocked' };

export interface LanesNow {
  /** As they are on the branch: what a lane has done counts once it has landed. */
  readonly stories: readonly Story[];
  readonly skipReview: boolean;
  /** Ids of the stories that lanes have. */
  readonly atWork: ReadonlySet<string>;
  /** Ids of stories that did not fit together with others too often: they have the branch for themselves. */
  readonly alone: ReadonlySet<string>;
}

/**
 * The story that a free lane takes: the one that a run without lanes would take, passing over those that lanes have and
 * those whose paths overlap with one that a lane has.
 */
export function nextForLane({ stories, skipReview, atWork, alone }: LanesNow): NextStory {
  const busy = stories.filter(({ id }) => atWork.has(id));
  if (busy.some(({ id }) => alone.has(id))) return { kind: 'wait' };
  const apart = stories.filter(
    (story) =>
      !atWork.has(story.id) &&
      ((busy.length > 0 && alone.has(story.id)) || busy.some((other) => storiesOverlap(story.paths, other.paths))),
  );
  const selection = select(stories, { skipReview, taken: new Set([...atWork, ...apart.map(({ id }) => id)]) });
  if (selection.kind === 'complete' || selection.kind === 'blocked') return { kind: selection.kind };
  if (selection.kind !== 'wait') return { kind: 'start', story: selection.story };
  // Nobody is at work on them: they wait for stories that will never be done.
  return atWork.size > 0 ? { kind: 'wait' } : { kind: 'blocked' };
}

/** Why a story that was done in its lane did not land. */
export type Misfit = 'conflict' | 'red';

/** A line of the run's ledger about an iteration in a lane. */
export interface LaneMark {
  /** Of the run in the lane's own work tree, and its number there: it is taken over once. */
  readonly run: string;
  readonly iteration: number;
  /** The iteration was good in its lane, and its story did not fit into the branch. */
  readonly misfit?: Misfit;
}

/** The lane's mark of a line; null for an iteration in the run's own work tree. */
export function laneMarkOf(line: LedgerLine): LaneMark | null {
  if (line.kind !== 'iteration' || !('lane' in line)) return null;
  return line.lane as LaneMark;
}

/** How often a story did not fit since it last landed, or a person decided about it. */
export function misfitsOf(ledger: readonly LedgerLine[], story: string): number {
  let count = 0;
  for (const line of ledger) {
    if ((line.kind !== 'iteration' && line.kind !== 'reset') || line.story !== story) continue;
    if (line.kind === 'reset') count = 0;
    else if (laneMarkOf(line)?.misfit) count += 1;
  }
  return count;
}
