import { describe, expect, it } from 'vitest';
import { estimate } from './estimate.ts';
import { aLine, aReset } from './ledger.fixture.ts';

describe('estimate', () => {
  it('guesses 2.6 iterations a story with review and 1.2 without while there is no history', () => {
    expect(estimate({ storiesLeft: 5, ledger: [], skipReview: false })).toEqual({
      storiesLeft: 5,
      iterationsPerStory: 2.6,
      iterations: 13,
      costUsd: null,
    });
    expect(estimate({ storiesLeft: 3, ledger: [aReset()], skipReview: true })).toMatchObject({ iterations: 4 });
    expect(estimate({ storiesLeft: 0, ledger: [], skipReview: false })).toMatchObject({ iterations: 0 });
  });

  it('takes iterations and costs from the stories this workspace finished', () => {
    const ledger = [
      aLine({ costUsd: 1 }),
      aLine({ verdict: 'limited', costUsd: 9 }),
      aLine({ mode: 'review', costUsd: 3, stateChanged: true, state: 'approved' }),
      aLine({ story: 'B', costUsd: 2 }),
    ];
    expect(estimate({ storiesLeft: 3, ledger, skipReview: false })).toEqual({
      storiesLeft: 3,
      iterationsPerStory: 2,
      iterations: 6,
      costUsd: 12,
    });
    expect(estimate({ storiesLeft: 3, ledger, skipReview: true })).toMatchObject({ iterationsPerStory: 1.2 });
  });
});
