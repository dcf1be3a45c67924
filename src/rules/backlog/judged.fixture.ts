import type { Backlog, Mode, Story } from '../../contracts/index.ts';
import type { JudgeInput, Judgement } from './api.ts';
import { judge } from './judge.ts';
import { aBacklog, aDocument, aStory } from './story.fixture.ts';

/** An agent's version of a backlog beside the snapshot. */
export interface Case {
  readonly mode?: Mode;
  readonly before: readonly Story[];
  readonly after: readonly Story[] | Backlog;
  readonly snapshotFields?: Partial<Backlog>;
  readonly options?: Partial<JudgeInput>;
}

/** The judgement on a case; story `A` is under work. */
export function judged({ mode = 'implement', before, after, snapshotFields = {}, options = {} }: Case): Judgement {
  const snapshot = aDocument(aBacklog(before, snapshotFields));
  const agent = aDocument('stories' in after ? after : aBacklog(after, snapshotFields));
  return judge({ mode, selected: 'A', skipReview: false, reviewCap: 5, snapshot, agent, problems: [], ...options });
}

/** Story `A` as a review finds it. */
export const reviewing = aStory('A', { reviewStatus: 'needs_review' });
/** Story `A` as a review-fix finds it. */
export const fixing = aStory('A', { reviewStatus: 'changes_requested', reviewFeedback: 'rename it', reviewCount: 1 });
