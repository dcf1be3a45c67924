import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { APPROVED, changesRequested, READY, write } from '../support/says.ts';

let project: Project;
afterEach(() => project?.remove());

const HOSTILE = '</title><script>alert(1)</script> | @una';

/** A story rejected at first and sent back by its first review, and one whose agent says it is blocked. */
async function eventfulRun(): Promise<void> {
  project = await makeProject({
    stories: [{ id: 'US-001', title: HOSTILE }],
    verifyCommands: ['test ! -e broken.txt'],
    steps: [
      { when: { mode: 'implement', attempt: 1 }, do: [write('broken.txt', 'x\n'), READY] },
      { when: { mode: 'implement' }, do: [write('src/a.txt', 'a\n'), READY] },
      { when: { mode: 'review', reviewCount: 0 }, do: [changesRequested('handle the empty line')] },
      { when: { mode: 'review-fix' }, do: [write('src/a.txt', 'b\n'), READY] },
      { when: { mode: 'review' }, do: [APPROVED] },
    ],
  });
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(0);
}

test('ralph report tells what a run came to, in three forms and in one file', { tags: ['promise'] }, async () => {
  await eventfulRun();
  const { stdout } = await project.ralph(['report', '--format', 'json']);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({
    version: 1,
    outcome: { reason: 'complete', exitCode: 0, tone: 'good' },
    storyCounts: { total: 1, done: 1, blocked: 0 },
    verdicts: [
      { verdict: 'accepted', count: 4 },
      { verdict: 'rejected', count: 1 },
    ],
    reviews: { decided: 2, stories: 1, approvedAtOnce: 0, rounds: [0, 1], undecided: 0 },
    rejections: [{ cause: 'a check that passed before fails', count: 1 }],
    rescues: [{ story: 'US-001', kept: true }],
    stories: [{ id: 'US-001', title: HOSTILE, state: 'done', iterations: 5, reviews: 2, rejected: 1 }],
  });
  const [rescue] = report.rescues;
  expect((await project.ralph(rescue.show.split(' ').slice(1))).stdout).toContain('broken.txt');

  const page = (await project.ralph(['report'])).stdout;
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).not.toContain('<script');
  expect(page).toContain('&lt;/title&gt;&lt;script&gt;');

  expect(await project.ralph(['report', '-o', 'out/report.html'])).toMatchObject({ code: 2, stdout: '' });
  expect(await project.ralph(['report', '-o', 'report.html'])).toMatchObject({
    code: 0,
    stdout: 'report.html\n',
  });
  expect(await project.read('report.html')).toMatch(/<\/html>\n$/);

  const md = (await project.ralph(['report', report.runs[0].run, '--format', 'md'])).stdout;
  expect(md).toContain('## Rejected, by cause');
  expect(md).not.toContain('<script');

  await project.run(['--once']);
  const all = JSON.parse((await project.ralph(['report', '--all', '--format', 'json'])).stdout);
  expect(all.runs.map(({ run }: { run: string }) => run)).toContain(report.runs[0].run);
});

test('ralph report says what is wrong with what it was asked for', async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }] });
  expect(await project.ralph(['report'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no run to report on'),
  });
  expect(await project.ralph(['report', '20260101-000000-aaaa'])).toMatchObject({ code: 2 });
  expect((await project.ralph(['report', '--format', 'pdf'])).stderr).toContain('html, md, json');
});
