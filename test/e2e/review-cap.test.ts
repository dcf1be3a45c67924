// @module-tag long
import { afterEach, describe, expect, test } from 'vitest';
import { type Ended, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { commitsOf, eventsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, changesRequested, READY, write } from '../support/says.ts';

const CHECKED: ProjectOptions = {
  files: { 'check.sh': 'test ! -e broken.txt || { echo it is broken; exit 1; }\n' },
  verifyCommands: ['sh check.sh'],
};
const GRUMPY = [
  { when: { mode: ['implement', 'review-fix'] }, do: [write('src/one.txt', 'one\n'), READY] },
  { when: { mode: 'review' }, do: [{ say: 'Hm.' }, changesRequested('one is not enough')] },
];

let project: Project;
afterEach(() => project?.remove());

async function runWith(story: object, args: readonly string[], options: ProjectOptions = {}): Promise<Ended> {
  project = await makeProject({ ...CHECKED, steps: GRUMPY, ...options, stories: [{ id: 'US-001', ...story }] });
  return project.run(args);
}

const storyNow = async () => (await project.stories())[0];

describe('--review-cap', () => {
  test('1: a story whose first review finds issues is approved, its concerns kept', async () => {
    const { code, stdout } = await runWith({}, ['--review-cap', '1']);
    expect(code, stdout).toBe(0);
    const story = await storyNow();
    expect(story).toMatchObject({ passes: true, reviewStatus: 'approved', reviewCount: 1, reviewFeedback: '' });
    expect(story?.['notes']).toContain('[AUTO-APPROVED AT CAP] one is not enough');
    expect(await commitsOf(project)).toEqual([
      'feat(US-001): story US-001',
      'review(US-001): approved at the review cap',
    ]);
    expect(stdout).toContain('approved at the review cap');
    const { receipt } = JSON.parse(await project.read('ralph/reviews.json')).stories['US-001'];
    expect(receipt).toMatchObject({ reviews: 1, concerns: 'one is not enough' });
  });

  test('2: the first findings are fixed, the second are kept as concerns', async () => {
    const { code } = await runWith({}, ['--review-cap', '2']);
    expect(code).toBe(0);
    expect(await storyNow()).toMatchObject({ passes: true, reviewStatus: 'approved', reviewCount: 2 });
    expect((await ledgerOf(project)).map(({ mode }) => mode)).toEqual(['implement', 'review', 'review-fix', 'review']);
  });

  test('with red checks the story is blocked instead, and the run ends with 6', async () => {
    const { code, stdout } = await runWith({ reviewStatus: 'needs_review', verifyCommands: ['echo not yet; exit 1'] }, [
      '--review-cap',
      '1',
    ]);
    expect(code, stdout).toBe(6);
    const story = await storyNow();
    expect(story).toMatchObject({
      passes: false,
      reviewStatus: 'changes_requested',
      reviewCount: 1,
      blocked: 'review cap of 1 reached and checks fail',
    });
    expect(story?.['reviewFeedback']).toBe('one is not enough\n\n$ echo not yet; exit 1\nnot yet');
    expect(stdout).toContain('review cap of 1 reached and checks fail');
  });

  test('an approval with red checks does not slip through at the cap either', async () => {
    const steps = [{ do: [APPROVED] }];
    const { code } = await runWith({ reviewStatus: 'needs_review', verifyCommands: ['false'] }, ['--review-cap', '1'], {
      steps,
    });
    expect(code).toBe(6);
    expect(await storyNow()).toMatchObject({ passes: false, blocked: 'review cap of 1 reached and checks fail' });
  });

  test('with onReviewCap: block the story waits for a person, even where the checks are green', async () => {
    const files = { ...CHECKED.files, 'ralph.config.json': '{ "onReviewCap": "block", "reviewCap": 1 }\n' };
    const { code, stdout } = await runWith({ reviewStatus: 'needs_review' }, [], { files });
    expect(code).toBe(6);
    expect(await storyNow()).toMatchObject({
      passes: false,
      reviewStatus: 'changes_requested',
      reviewFeedback: 'one is not enough',
      blocked: 'review cap of 1 reached and the last review still found issues',
    });
    expect(stdout).toContain('ralph run: blocked, needs you (exit 6)');
  });

  test('lowered below what a story has behind it, the cap is a warning and one more review is legal', async () => {
    const approval = {
      story: { set: { reviewStatus: 'approved', passes: true, notes: 'at last' }, increase: { reviewCount: 1 } },
    };
    const { code, stdout } = await runWith({ reviewStatus: 'needs_review', reviewCount: 4 }, ['--review-cap', '1'], {
      steps: [{ do: [approval] }],
    });
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('US-001 has been reviewed 5 times, more than the review cap of 1');
    expect(await storyNow()).toMatchObject({
      passes: true,
      reviewStatus: 'approved',
      reviewCount: 5,
      notes: 'at last',
    });
    expect((await ledgerOf(project))[0]?.violations).toEqual([]);
  });

  test('a count below zero in the file is refused with exit 2', async () => {
    const { code, stderr } = await runWith({ reviewCount: -1 }, []);
    expect(code).toBe(2);
    expect(stderr).toMatchInlineSnapshot(`
      "Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:18: US-001: "reviewCount" is -1, expected an integer of 0 or more
          fix: Make "reviewCount" an integer of 0 or more.
      "
    `);
  });
});

describe('--skip-review', () => {
  test('a story is done after one green iteration: it passes, and no review is claimed', async () => {
    const { code, stdout } = await runWith({}, ['--skip-review']);
    expect(code, stdout).toBe(0);
    expect(await storyNow()).toMatchObject({ passes: true, reviewStatus: null, reviewCount: 0 });
    expect((await storyNow())?.['notes']).not.toBe('');
    expect(await commitsOf(project)).toEqual(['feat(US-001): story US-001']);
  });

  test('a story that an earlier run left for review is verified without an agent', async () => {
    const { code, stdout } = await runWith(
      { reviewStatus: 'needs_review', notes: 'made yesterday' },
      ['--skip-review'],
      { steps: [] },
    );
    expect(code, stdout).toBe(0);
    expect(await storyNow()).toMatchObject({
      passes: true,
      reviewStatus: null,
      reviewCount: 0,
      notes: 'made yesterday',
    });
    const types = (await eventsOf(project)).map(({ type }) => type);
    expect(types).toContain('check');
    expect(types).not.toContain('agent-start');
  });

  test('where its checks are red it goes back with their output, and a review-fix fixes it', async () => {
    const steps = [
      {
        when: { mode: 'review-fix' },
        do: [{ 'expect-prompt': 'not there yet' }, write('src/late.txt', 'late\n'), READY],
      },
    ];
    const check = 'test -e src/late.txt || { echo not there yet; exit 1; }';
    const { code, stdout } = await runWith(
      { reviewStatus: 'needs_review', verifyCommands: [check] },
      ['--skip-review'],
      { steps },
    );
    expect(code, stdout).toBe(0);
    expect((await ledgerOf(project)).map(({ mode, verdict }) => `${mode} ${verdict}`)).toEqual([
      'review accepted',
      'review-fix accepted',
    ]);
    expect(await storyNow()).toMatchObject({ passes: true, reviewStatus: null, reviewFeedback: '' });
  });

  test('a story that a review sent back gets its review-fix and is done then', async () => {
    const { code } = await runWith(
      { reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: 'say it louder' },
      ['--skip-review'],
    );
    expect(code).toBe(0);
    expect(await storyNow()).toMatchObject({ passes: true, reviewStatus: null, reviewCount: 1, reviewFeedback: '' });
    expect((await ledgerOf(project)).map(({ mode }) => mode)).toEqual(['review-fix']);
  });

  test('stories done that way stand in a later run with reviews', async () => {
    const { code } = await runWith({ passes: true, reviewStatus: null }, []);
    expect(code).toBe(0);
    expect(await storyNow()).toMatchObject({ passes: true, reviewStatus: null });
  });
});
