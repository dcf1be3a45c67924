import { afterEach, describe, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { commitsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, changesRequested, READY, write } from '../support/says.ts';

/**
 * A plan as people write them: CRLF in places, tabs, trailing blanks, boxes inside code and comments, no newline at the
 * end. Only the boxes of its stories may ever change.
 */
const PLAN = [
  '# A plan  ',
  '',
  'Some words,\twith a tab.',
  '',
  '## First things',
  '',
  '- [ ] US-001: Say one\r',
  '  Some description, two lines\r',
  '  of it.   ',
  '  - the file `src/one.txt` says one',
  '  - [ ] it is in English',
  '',
  '<!-- - [ ] US-900: not a story -->',
  '```',
  '- [ ] US-901: neither is this',
  '```',
  '',
  '* [ ]  **US-002** Say two',
  '\t* depends on nothing',
  '',
  'The end',
].join('\n');

const ticked = (plan: string, ...ids: readonly ('US-001' | 'US-002')[]): string =>
  ids.reduce(
    (text, id) =>
      text.replace(id === 'US-001' ? '- [ ] US-001' : '* [ ]  **US-002', (line) => line.replace('[ ]', '[x]')),
    plan,
  );

const CYCLE = [
  { when: { story: 'US-001', mode: 'implement' }, do: [write('src/one.txt', 'eins\n'), READY] },
  {
    when: { story: 'US-001', mode: 'review', reviewCount: 0 },
    do: [changesRequested('1. say one, not eins\n2. in English')],
  },
  {
    when: { story: 'US-001', mode: 'review-fix' },
    do: [{ 'expect-prompt': 'say one, not eins' }, write('src/one.txt', 'one\n'), READY],
  },
  { when: { story: 'US-002', mode: 'implement' }, do: [write('src/two.txt', 'two\n'), READY] },
  { when: { mode: 'review' }, do: [{ say: 'I read it all.' }, APPROVED] },
];

let project: Project;
afterEach(() => project?.remove());

async function planned(steps: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  project = await makeProject({
    backlog: { path: 'ralph/plan.md', text: PLAN },
    files: { 'ralph.config.json': '{ "verifyCommands": ["test ! -e broken.txt"] }\n' },
    steps,
  });
}

async function reviewsOf(id: string): Promise<Record<string, unknown>> {
  return JSON.parse(await project.read('ralph/reviews.json')).stories[id];
}

describe('a Markdown plan', () => {
  test('is worked through to COMPLETE by an agent that only says status blocks', { tags: ['promise'] }, async () => {
    await planned(CYCLE);
    const { code, stdout, stderr } = await project.run();
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('ralph run: complete (exit 0)');
    expect(await commitsOf(project)).toEqual([
      'feat(US-001): Say one',
      'review(US-001): changes requested',
      'fix(US-001): address review feedback',
      'review(US-001): approved',
      'feat(US-002): Say two',
      'review(US-002): approved',
    ]);
    expect(await project.read('ralph/plan.md')).toBe(ticked(PLAN, 'US-001', 'US-002'));
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('has its review state in reviews.json after each step, and its box is ticked by the approval alone', async () => {
    await planned(CYCLE);
    await project.run(['--once']);
    expect(await reviewsOf('US-001')).toMatchObject({ reviewStatus: 'needs_review' });
    expect(await project.read('ralph/plan.md')).toBe(PLAN);

    await project.run(['--once']);
    expect(await reviewsOf('US-001')).toMatchObject({
      reviewStatus: 'changes_requested',
      reviewCount: 1,
      reviewFeedback: '1. say one, not eins\n2. in English',
    });
    expect(await project.read('ralph/plan.md')).toBe(PLAN);

    await project.run(['--once']);
    expect(await reviewsOf('US-001')).toMatchObject({
      reviewStatus: 'needs_review',
      reviewCount: 1,
      reviewFeedback: '',
    });
    expect(await project.read('ralph/plan.md')).toBe(PLAN);

    await project.run(['--once']);
    expect(await reviewsOf('US-001')).toMatchObject({
      reviewStatus: 'approved',
      reviewCount: 2,
      notes: 'I read it all.',
      receipt: { reviews: 2, checks: [{ command: 'test ! -e broken.txt', ok: true }] },
    });
    expect(await project.read('ralph/plan.md')).toBe(ticked(PLAN, 'US-001'));
    expect(await project.git('status', '--porcelain')).toBe('');
    expect(await project.git('show', 'HEAD:ralph/reviews.json')).toContain('"approved"');
  });

  test('is un-ticked when the agent ticks its box while implementing, until a review approves', async () => {
    await planned([
      {
        when: { story: 'US-001', mode: 'implement' },
        do: [
          write('src/one.txt', 'one\n'),
          { edit: { path: 'ralph/plan.md', replace: '- [ ] US-001', with: '- [x] US-001' } },
          { say: 'Done!' },
        ],
      },
      { when: { mode: 'review' }, do: [APPROVED] },
    ]);
    await project.run(['--once']);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted', mode: 'implement' }]);
    expect(await project.read('ralph/plan.md')).toBe(PLAN);
    expect(await project.git('show', 'HEAD:ralph/plan.md')).toBe(PLAN.trimEnd());
    expect(await reviewsOf('US-001')).toMatchObject({ reviewStatus: 'needs_review' });

    await project.run(['--once']);
    expect(await project.read('ralph/plan.md')).toBe(ticked(PLAN, 'US-001'));
    expect(await reviewsOf('US-001')).toMatchObject({ reviewStatus: 'approved', reviewCount: 1 });
  });

  test('is approved by a reviewer that ticks the box, and never by one that ticks the box of another story', async () => {
    await planned([
      { when: { mode: 'implement' }, do: [write('src/one.txt', 'one\n'), READY] },
      {
        when: { mode: 'review' },
        do: [
          { edit: { path: 'ralph/plan.md', replace: '- [ ] US-001', with: '- [x] US-001' } },
          { edit: { path: 'ralph/plan.md', replace: '* [ ]  **US-002', with: '* [x]  **US-002' } },
          { say: 'Both are fine.' },
        ],
      },
    ]);
    await project.run(['2']);
    expect((await ledgerOf(project))[1]).toMatchObject({
      verdict: 'accepted',
      mode: 'review',
      violations: [{ rule: 'transition/other-story-reviewed', story: 'US-002', field: 'passes' }],
    });
    expect(await project.read('ralph/plan.md')).toBe(ticked(PLAN, 'US-001'));
    expect(await reviewsOf('US-001')).toMatchObject({ reviewStatus: 'approved', reviewCount: 1 });
  });

  test('keeps every byte when the agent rewrites it', async () => {
    await planned([
      {
        do: [
          write('src/one.txt', 'one\n'),
          { edit: { path: 'ralph/plan.md', replace: 'Some words,\twith a tab.', with: 'Other words.' } },
          { edit: { path: 'ralph/plan.md', replace: '\nThe end', with: '\nThe end\n' } },
          READY,
        ],
      },
    ]);
    await project.run(['--once']);
    expect(await project.read('ralph/plan.md')).toBe(PLAN);
    expect(await commitsOf(project)).toEqual(['feat(US-001): Say one']);
  });
});
