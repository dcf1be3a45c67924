import type { ReviewFinding, Story } from '../../contracts/model.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { readFindings } from '../../rules/backlog/reviews/reviews.ts';

/** What reviews of a story found. Of a story that starts again only what a person waived is left. */
export function findingsOf(
  { reviewsText }: Pick<BacklogDocument, 'reviewsText'>,
  story: Story,
): readonly ReviewFinding[] {
  const all = readFindings(reviewsText, story.id);
  return story.reviewCount > 0 ? all : all.filter(({ state }) => state === 'waived');
}
