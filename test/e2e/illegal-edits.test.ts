import { afterEach, describe, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { APPROVED, changesRequested, editTasks, READY, shell, write } from '../support/says.ts';

/**
 * Every way of the transition table in which an agent may edit its backlog illegally: the edit is undone, recorded in
 * the ledger, and told in the next prompt of the story. US-001 is under work.
 */

type Fields = Readonly<Record<string, unknown>>;

interface Row {
  readonly title: string;
  readonly does: readonly object[];
  /** `[rule, story or field it names]` of every violation, in order. */
  readonly broken: readonly (readonly [rule: string, names: string])[];
  /** Fields of US-001 that the iteration legally changes; none = the file is as it was, byte for byte. */
  readonly becomes?: Fields;
  /** Stories that are added, at the end. */
  readonly added?: readonly Fields[];
  readonly verdict: string;
  readonly args?: readonly string[];
}

const FEEDBACK = 'say it in English';
const REVIEWED = { reviewStatus: 'needs_review' };
const SENT_BACK = { reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: FEEDBACK };
const WORK = write('src/one.txt', 'one\n');

const set = (fields: Fields, id = 'US-001'): object => ({ story: { id, set: fields } });

const newStory = (id: string, fields = ''): string =>
  `b.userStories.push({ id: "${id}", title: "new ${id}", acceptanceCriteria: ["it works"], priority: 9, ${fields} })`;

const IMPLEMENT: readonly Row[] = [
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

const REVIEW: readonly Row[] = [
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
    title: 'reviews another story only',
    does: [{ story: { id: 'US-003', set: { reviewStatus: 'approved', passes: true }, increase: { reviewCount: 1 } } }],
    broken: [
      ['transition/other-story-reviewed', 'passes'],
      ['transition/other-story-reviewed', 'reviewStatus'],
      ['transition/other-story-reviewed', 'reviewCount'],
      ['claim/review-missing', 'US-001'],
    ],
    verdict: 'no-progress',
  },
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
    title: 'does not count its review',
    does: [set({ reviewStatus: 'approved', passes: true })],
    broken: [
      ['transition/review-count', 'reviewCount'],
      ['claim/review-missing', 'US-001'],
    ],
    verdict: 'no-progress',
  },
  {
    title: 'approves without passes',
    does: [{ story: { set: { reviewStatus: 'approved' }, increase: { reviewCount: 1 } } }],
    broken: [
      ['invariant/approved-passes', 'passes'],
      ['claim/review-missing', 'US-001'],
    ],
    verdict: 'no-progress',
  },
  {
    title: 'requests changes without saying which',
    does: [{ story: { set: { reviewStatus: 'changes_requested' }, increase: { reviewCount: 1 } } }],
    broken: [
      ['invariant/feedback-given', 'reviewFeedback'],
      ['claim/review-missing', 'US-001'],
    ],
    verdict: 'no-progress',
  },
  {
    title: 'puts the story back to its beginning',
    does: [{ story: { set: { reviewStatus: null }, increase: { reviewCount: 1 } } }],
    broken: [
      ['transition/review-outcome', 'reviewStatus'],
      ['claim/review-missing', 'US-001'],
    ],
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

const REVIEW_FIX: readonly Row[] = [
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

const FILES: readonly Row[] = [
  {
    title: 'leaves half a file',
    does: [WORK, write('ralph/tasks.json', '{ "userStories": [ {'), READY],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    becomes: REVIEWED,
    verdict: 'accepted',
  },
  {
    title: 'gives a story an impossible value',
    does: [WORK, set({ reviewCount: -3 })],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    verdict: 'advanced',
  },
  {
    title: 'gives two stories one id',
    does: [WORK, editTasks('b.userStories[2].id = "US-001"')],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    verdict: 'advanced',
  },
  {
    title: 'deletes the file',
    does: [WORK, { delete: 'ralph/tasks.json' }],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    verdict: 'advanced',
  },
  {
    title: 'replaces the file by a folder',
    does: [WORK, shell('rm ralph/tasks.json && mkdir ralph/tasks.json && touch ralph/tasks.json/x')],
    broken: [['transition/backlog-unreadable', 'ralph/tasks.json']],
    verdict: 'advanced',
  },
  {
    title: 'replaces the file by a link',
    does: [WORK, shell('mv ralph/tasks.json elsewhere.json && ln -s ../elsewhere.json ralph/tasks.json')],
    broken: [],
    verdict: 'advanced',
  },
  {
    title: 'deletes the spec folder',
    does: [WORK, { delete: 'ralph' }],
    broken: [
      ['transition/backlog-unreadable', 'ralph/tasks.json'],
      ['protected-file', 'ralph/prd.md'],
    ],
    verdict: 'advanced',
  },
  {
    title: 'rewrites the requirements',
    does: [WORK, write('ralph/prd.md', '# Nothing is wanted\n')],
    broken: [['protected-file', 'ralph/prd.md']],
    verdict: 'advanced',
  },
  {
    title: 'deletes .ralph',
    does: [WORK, { delete: '.ralph' }],
    broken: [['protected-file', '.ralph/.gitignore']],
    verdict: 'advanced',
  },
];

let project: Project;
afterEach(() => project?.remove());

async function expectCorrected(story: Fields, row: Row): Promise<void> {
  project = await makeProject({
    files: { 'check.sh': 'test ! -e broken.txt\n' },
    verifyCommands: ['sh check.sh'],
    stories: [
      { id: 'US-001', verifyCommands: ['test -d src'], ...story },
      { id: 'US-002', dependsOn: ['US-001'] },
      { id: 'US-003' },
      { id: 'US-004', passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'done long ago' },
      { id: 'US-005', blocked: 'waits for the printer' },
    ],
    steps: [{ do: [{ say: 'I am on it.' }, ...row.does] }],
  });
  await project.write('src/here.txt', 'something\n');
  await project.git('add', '-A');
  await project.git('commit', '-q', '-m', 'a source folder');
  const before = await project.read('ralph/tasks.json');
  const prd = await project.read('ralph/prd.md');

  const { stdout, stderr } = await project.run(['--once', ...(row.args ?? [])]);
  expect(stderr).toBe('');

  // recorded
  const line = (await ledgerOf(project)).at(-1);
  expect(line?.violations.map(({ rule, story: id, field }) => [rule, field ?? id ?? 'ralph/tasks.json'])).toEqual(
    row.broken,
  );
  expect(line?.verdict, stdout).toBe(row.verdict);

  // corrected
  expect(JSON.parse(await project.read('ralph/tasks.json'))).toEqual(withChanges(JSON.parse(before), row));
  if (!row.becomes && !row.added) expect(await project.read('ralph/tasks.json')).toBe(before);
  expect(await project.git('show', 'HEAD:ralph/tasks.json')).toBe((await project.read('ralph/tasks.json')).trimEnd());
  expect(await project.read('ralph/prd.md')).toBe(prd);
  expect(await project.git('status', '--porcelain')).toBe('');
  expect((await project.ralph(['validate'])).code).toBe(0);

  // fed back
  const { stdout: plan } = await project.ralph(['run', '--dry-run']);
  const prompt = plan.slice(plan.indexOf('--- prompt ---'));
  for (const { message } of line?.violations ?? []) expect(prompt).toContain(message);
}

function withChanges(tasks: { userStories: Fields[] }, { becomes = {}, added = [] }: Row): object {
  const [first, ...others] = tasks.userStories;
  return {
    ...tasks,
    userStories: [{ ...first, ...becomes }, ...others, ...added.map((story) => expect.objectContaining(story))],
  };
}

describe('an implement iteration that', () => {
  test.each(IMPLEMENT)('$title is corrected', (row) => expectCorrected({}, row));
});

describe('a review that', () => {
  test.each(REVIEW)('$title is corrected', (row) => expectCorrected(REVIEWED, row));
});

describe('a review-fix iteration that', () => {
  test.each(REVIEW_FIX)('$title is corrected', (row) => expectCorrected(SENT_BACK, row));
});

describe('an agent that', () => {
  test.each(FILES)('$title is corrected', (row) => expectCorrected({}, row));
});
