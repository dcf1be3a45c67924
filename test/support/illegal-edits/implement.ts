import { APPROVED, editTasks, READY } from '../says.ts';
import { newStory, type Row, set, WORK } from './row.ts';

export const IMPLEMENT: readonly Row[] = [
  {
    title: 'approves itself',
    does: [WORK, set({ reviewStatus: 'approved', passes: true, notes: 'perfect' })],
    broken: [
      ['transition/self-approval', 'passes'],
      ['transition/self-approval', 'reviewStatus'],
    ],
    becomes: { reviewStatus: 'needs_review', notes: 'perfect' },
    verdict: 'accepted',
  },
  {
    title: 'approves itself with a status block',
    does: [WORK, APPROVED],
    broken: [['claim/self-approval', 'US-001']],
    becomes: { reviewStatus: 'needs_review' },
    verdict: 'accepted',
  },
  {
    title: 'adds six stories',
    does: [WORK, editTasks([1, 2, 3, 4, 5, 6].map((n) => newStory(`US-01${n}`)).join('; '))],
    broken: [['transition/too-many-stories', 'US-016']],
    added: [1, 2, 3, 4, 5].map((n) => ({ id: `US-01${n}`, passes: false, reviewStatus: null, reviewCount: 0 })),
    verdict: 'advanced',
  },
  {
    title: 'adds a story that is blocked and has checks of its own',
    does: [WORK, editTasks(newStory('US-010', 'blocked: "too hard", verifyCommands: ["true"]'))],
    broken: [
      ['transition/blocked-edited', 'blocked'],
      ['transition/verify-commands', 'verifyCommands'],
    ],
    becomes: { notes: 'Proposed verifyCommands of US-010: ["true"]' },
    added: [{ id: 'US-010', title: 'new US-010' }],
    verdict: 'advanced',
  },
  {
    title: 'rewrites titles and descriptions',
    does: [WORK, set({ title: 'easier', notes: 'half done' })],
    broken: [['transition/text', 'title']],
    becomes: { notes: 'half done\nThe agent proposes the title: "easier"' },
    verdict: 'advanced',
  },
  {
    title: 'deletes its own story',
    does: [WORK, editTasks('b.userStories.shift(); b.userStories[0].dependsOn = []')],
    broken: [
      ['transition/story-removed', 'US-001'],
      ['transition/other-dependencies', 'dependsOn'],
    ],
    verdict: 'advanced',
  },
  {
    title: 'removes the checks of its story',
    does: [WORK, editTasks('delete b.userStories[0].verifyCommands'), READY],
    broken: [['transition/verify-commands', 'verifyCommands']],
    becomes: { notes: 'Proposed verifyCommands of US-001: []', reviewStatus: 'needs_review' },
    verdict: 'accepted',
  },
  {
    title: 'chooses another branch and another model',
    does: [WORK, editTasks('b.branchName = "main"; b.userStories[0].model = "a bigger one"')],
    broken: [
      ['transition/settings', 'branchName'],
      ['transition/settings', 'model'],
    ],
    verdict: 'advanced',
  },
  {
    title: 'finishes another story under --skip-review',
    does: [WORK, set({ passes: true }, 'US-003')],
    broken: [['transition/other-story-reviewed', 'passes']],
    verdict: 'advanced',
    args: ['--skip-review'],
  },
];
