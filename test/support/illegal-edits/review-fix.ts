import { type Row, set, WORK } from './row.ts';

export const REVIEW_FIX: readonly Row[] = [
  {
    title: 'approves itself',
    does: [WORK, { story: { set: { reviewStatus: 'approved', passes: true, reviewFeedback: '' } } }],
    broken: [
      ['transition/self-approval', 'passes'],
      ['transition/self-approval', 'reviewStatus'],
    ],
    becomes: { reviewStatus: 'needs_review', reviewFeedback: '' },
    verdict: 'accepted',
  },
  {
    title: 'counts a review',
    does: [
      WORK,
      { story: { set: { reviewStatus: 'needs_review', reviewFeedback: '' }, increase: { reviewCount: 1 } } },
    ],
    broken: [['transition/review-count', 'reviewCount']],
    becomes: { reviewStatus: 'needs_review', reviewFeedback: '' },
    verdict: 'accepted',
  },
  {
    title: 'leaves the feedback standing',
    does: [WORK, set({ reviewStatus: 'needs_review' })],
    broken: [['transition/fix-feedback', 'reviewFeedback']],
    becomes: { reviewStatus: 'needs_review', reviewFeedback: '' },
    verdict: 'accepted',
  },
  {
    title: 'drops the review instead of answering it',
    does: [WORK, set({ reviewStatus: null, reviewFeedback: '' })],
    broken: [
      ['transition/fix-status', 'reviewStatus'],
      ['transition/fix-status', 'reviewFeedback'],
    ],
    verdict: 'advanced',
  },
  {
    title: 'sends another story to review',
    does: [WORK, set({ reviewStatus: 'needs_review' }, 'US-003')],
    broken: [['transition/other-story-reviewed', 'reviewStatus']],
    verdict: 'advanced',
  },
];
