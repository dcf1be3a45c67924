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
    title: 'leaves the feedback standing',
    does: [WORK, set({ reviewStatus: 'needs_review' })],
    broken: [['transition/fix-feedback', 'reviewFeedback']],
    becomes: { reviewStatus: 'needs_review', reviewFeedback: '' },
    verdict: 'accepted',
  },
];
