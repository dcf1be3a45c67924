import { afterEach, expect, test } from 'vitest';
import { FILES } from '../support/illegal-edits/files.ts';
import { IMPLEMENT } from '../support/illegal-edits/implement.ts';
import { REVIEW } from '../support/illegal-edits/review.ts';
import { REVIEW_FIX } from '../support/illegal-edits/review-fix.ts';
import { type Fields, REVIEWED, type Row, SENT_BACK } from '../support/illegal-edits/row.ts';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';

/**
 * Illegal edits of the backlog are undone, recorded in the ledger, and told in the next prompt of the story. Every rule
 * of the transition table has its cases in src/rules/backlog/transitions.test.ts. US-001 is under work.
 */

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

// `ralph selftest` does most of it, too.
test.each(IMPLEMENT)('an implement iteration that $title is corrected', { tags: ['long'] }, (row) =>
  expectCorrected({}, row),
);
test.each(REVIEW)('a review that $title is corrected', (row) => expectCorrected(REVIEWED, row));
test.each(REVIEW_FIX)('a review-fix iteration that $title is corrected', { tags: ['long'] }, (row) =>
  expectCorrected(SENT_BACK, row),
);
test.each(FILES)('an agent that $title is corrected', (row) => expectCorrected({}, row));
