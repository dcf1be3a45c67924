import type { Story } from '../../contracts/model.ts';
import { iterationsUsed } from '../../rules/safeguards/attempts.ts';
import { estimate } from '../../rules/safeguards/estimate.ts';
import type { RunContext } from '../context.ts';
import { countStories } from '../tell/count-stories.ts';

/** What the stories that are left will take, against the limit. */
export function announceEstimate(context: RunContext, stories: readonly Story[]): void {
  const { total, done } = countStories(stories);
  const limit = context.steering.limits().maxIterations - iterationsUsed(context.ledger, context.run);
  const guess = estimate({ storiesLeft: total - done, ledger: context.ledger, skipReview: context.config.skipReview });
  const { storiesLeft, iterations: iterationsNeeded, costUsd } = guess;
  context.emit(0, {
    type: 'estimate',
    storiesLeft,
    iterationsNeeded,
    limit,
    costUsd,
    enough: iterationsNeeded <= limit,
  });
}
