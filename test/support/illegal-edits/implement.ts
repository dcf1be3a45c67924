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
    title: 'sets passes alone',
    does: [WORK, set({ passes: true })],
    broken: [['transition/self-approval', 'passes']],
    becomes: { reviewStatus: 'needs_review' },
    verdict: 'accepted',
  },
  {
    title: 'counts a review',
    does: [WORK, { story: { increase: { reviewCount: 1 } } }],
    broken: [['transition/review-count', 'reviewCount']],
    verdict: 'advanced',
  },
  {
    title: 'requests changes of itself',
    does: [WORK, set({ reviewStatus: 'changes_requested', reviewFeedback: 'later' })],
    broken: [
      ['transition/implement-status', 'reviewStatus'],
      ['transition/implement-status', 'reviewFeedback'],
    ],
    verdict: 'advanced',
  },
  {
    title: 'marks another story done',
    does: [
      WORK,
      set({ reviewStatus: 'approved', passes: true, notes: 'while at it' }, 'US-002'),
      set({ notes: '' }, 'US-002'),
    ],
    broken: [
      ['transition/other-story-reviewed', 'passes'],
      ['transition/other-story-reviewed', 'reviewStatus'],
    ],
    verdict: 'advanced',
  },
  {
    title: 'takes the approval of another story away',
    does: [WORK, set({ passes: false, reviewStatus: null }, 'US-004')],
    broken: [
      ['transition/other-story-reviewed', 'passes'],
      ['transition/other-story-reviewed', 'reviewStatus'],
    ],
    verdict: 'advanced',
  },
  {
    title: 'adds a story that is born done',
    does: [WORK, editTasks(newStory('US-010', 'passes: true, reviewStatus: "approved", reviewCount: 3'))],
    broken: [
      ['transition/story-born-done', 'passes'],
      ['transition/story-born-done', 'reviewStatus'],
      ['transition/story-born-done', 'reviewCount'],
    ],
    added: [{ id: 'US-010', title: 'new US-010', passes: false, reviewStatus: null, reviewCount: 0 }],
    verdict: 'advanced',
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
    title: 'deletes another story',
    does: [WORK, editTasks('b.userStories = b.userStories.filter((s) => s.id !== "US-003")')],
    broken: [['transition/story-removed', 'US-003']],
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
    title: 'rewrites its acceptance criteria',
    does: [WORK, set({ acceptanceCriteria: ['it exists'] })],
    broken: [['transition/criteria-weakened', 'acceptanceCriteria']],
    verdict: 'advanced',
  },
  {
    title: 'rewrites the acceptance criteria of another story',
    does: [WORK, set({ acceptanceCriteria: ['it works', 'and shines'] }, 'US-003')],
    broken: [['transition/other-criteria', 'acceptanceCriteria']],
    verdict: 'advanced',
  },
  {
    title: 'blocks its story',
    does: [WORK, set({ blocked: 'too hard' })],
    broken: [['transition/blocked-edited', 'blocked']],
    verdict: 'advanced',
  },
  {
    title: 'blocks another story',
    does: [WORK, set({ blocked: 'too hard' }, 'US-003')],
    broken: [['transition/blocked-edited', 'blocked']],
    verdict: 'advanced',
  },
  {
    title: 'clears what a person blocked',
    does: [WORK, editTasks('delete b.userStories[4].blocked')],
    broken: [['transition/blocked-edited', 'blocked']],
    verdict: 'advanced',
  },
  {
    title: 'weakens the checks of the backlog',
    does: [WORK, editTasks('b.verifyCommands = ["true"]')],
    broken: [['transition/verify-commands', 'verifyCommands']],
    becomes: { notes: 'Proposed verifyCommands: ["true"]' },
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
    title: 'changes what another story depends on',
    does: [WORK, set({ dependsOn: [] }, 'US-002')],
    broken: [['transition/other-dependencies', 'dependsOn']],
    verdict: 'advanced',
  },
  {
    title: 'makes its story depend on one that was there before',
    does: [WORK, set({ dependsOn: ['US-003'] })],
    broken: [['transition/dependencies', 'dependsOn']],
    verdict: 'advanced',
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
