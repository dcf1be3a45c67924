import { changesRequested, editTasks } from '../says.ts';
import { FEEDBACK, newStory, type Row, SENT_BACK, set } from './row.ts';

export const REVIEW: readonly Row[] = [
  {
    title: 'reviews two stories',
    does: [
      {
        story: {
          id: 'US-001',
          set: { reviewStatus: 'changes_requested', reviewFeedback: FEEDBACK },
          increase: { reviewCount: 1 },
        },
      },
      {
        story: {
          id: 'US-003',
          set: { reviewStatus: 'changes_requested', reviewFeedback: FEEDBACK },
          increase: { reviewCount: 1 },
        },
      },
    ],
    broken: [
      ['transition/other-story-reviewed', 'reviewStatus'],
      ['transition/other-story-reviewed', 'reviewCount'],
      ['transition/other-story-reviewed', 'reviewFeedback'],
    ],
    becomes: SENT_BACK,
    verdict: 'accepted',
  },
  { title: 'reviews none', does: [], broken: [['claim/review-missing', 'US-001']], verdict: 'no-progress' },
  {
    title: 'counts its review twice',
    does: [{ story: { set: { reviewStatus: 'approved', passes: true, notes: 'fine' }, increase: { reviewCount: 2 } } }],
    broken: [
      ['transition/review-count', 'reviewCount'],
      ['claim/review-missing', 'US-001'],
    ],
    becomes: { notes: 'fine' },
    verdict: 'no-progress',
  },
  {
    title: 'rewrites the story and adds one',
    does: [set({ title: 'easier' }), editTasks(newStory('US-010')), changesRequested(FEEDBACK)],
    broken: [
      ['transition/text', 'title'],
      ['transition/story-added', 'US-010'],
    ],
    becomes: SENT_BACK,
    verdict: 'accepted',
  },
];
