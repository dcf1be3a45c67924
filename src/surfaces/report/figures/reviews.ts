import type { IterationView, RunView } from '../../../rules/view/model.ts';
import { grouped } from '../grouped.ts';
import type { ReviewFigures } from '../model.ts';

/** A review that counts and said what becomes of the story. An iteration's claim is the state it left the story in. */
export function isDecided({ mode, verdict, claim }: IterationView): boolean {
  return mode === 'review' && verdict === 'accepted' && (claim === 'approved' || claim === 'changes_requested');
}

/** How reviews went, story by story. Pure. */
export function reviewFigures(views: readonly RunView[]): ReviewFigures {
  const reviews = views.flatMap(({ backlog, iterations }) =>
    iterations.filter(({ mode }) => mode === 'review').map((review) => ({ backlog, review })),
  );
  const decided = reviews.filter(({ review }) => isDecided(review));
  const byStory = [...grouped(decided, ({ backlog, review }) => `${backlog}\n${review.story}`).values()];
  const needed = byStory
    .map((all) => all.findIndex(({ review }) => review.claim === 'approved') + 1)
    .filter((rounds) => rounds > 0);
  return {
    decided: decided.length,
    stories: byStory.length,
    approvedAtOnce: needed.filter((rounds) => rounds === 1).length,
    rounds: Array.from({ length: Math.max(0, ...needed) }, (_, i) => needed.filter((one) => one === i + 1).length),
    undecided: reviews.filter(({ review }) => review.verdict !== null && !isDecided(review)).length,
  };
}
