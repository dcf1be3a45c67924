// @module-tag long
import { afterEach, expect, test } from 'vitest';
import { type Ended, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { commitsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, changesRequested, READY, shell, tool, write } from '../support/says.ts';

/** What reviews found is remembered: as findings with ids and states, and given to the next reviewer. */

let project: Project;
afterEach(() => project?.remove());

async function runWith(
  steps: ProjectOptions['steps'],
  story: object = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const stories = [{ id: 'US-001', ...story }];
  project = await makeProject({ verifyCommands: ['true'], stories, files, ...(steps ? { steps } : {}) });
  return project.run();
}

const entry = async () => JSON.parse(await project.read('ralph/reviews.json')).stories['US-001'];
const states = async () =>
  (await entry()).findings.map(({ claim, state }: { claim: string; state: string }) => `${state}: ${claim}`);
const storyNow = async () => (await project.stories())[0];

const IMPLEMENT = { when: { mode: 'implement' }, do: [write('src/one.txt', 'one\n'), READY] };
const review = (reviewCount: number, ...actions: readonly object[]) => ({
  when: { mode: 'review', reviewCount },
  do: [{ say: 'Read.' }, ...actions],
});
const fix = (reviewCount: number, ...actions: readonly object[]) => ({
  when: { mode: 'review-fix', reviewCount },
  do: [...actions, READY],
});

test('findings have ids that fixers and reviewers are given, and a fixed one is resolved', async () => {
  const { code, stdout } = await runWith([
    IMPLEMENT,
    review(0, changesRequested('Two problems:\n- src/one.txt:1: says too little\n- no error is shown')),
    fix(1, { 'expect-prompt': '- F-' }, { 'expect-prompt': 'no error is shown' }, write('src/one.txt', 'one, two\n')),
    review(1, { 'expect-prompt': 'Verify each' }, changesRequested('- No error is shown!')),
    fix(2, write('src/one.txt', 'one, two, three\n')),
    review(2, APPROVED),
  ]);
  expect(code, stdout).toBe(0);
  expect(await states()).toEqual(['resolved: src/one.txt:1: says too little', 'resolved: no error is shown']);
  const { findings, receipt } = await entry();
  expect(findings[0]).toMatchObject({ file: 'src/one.txt', foundIn: 1, lastFoundIn: 1 });
  expect(findings[1]).toMatchObject({ id: expect.stringMatching(/^F-[0-9a-f]{8}$/), foundIn: 1, lastFoundIn: 2 });
  expect(receipt.findings).toEqual(findings);
  expect((await project.ralph(['stories', 'show', 'US-001'])).stdout).toContain(
    `${findings[1].id} resolved (reviews 1 to 2) no error is shown`,
  );
});

test('the same finding in unchanged work ends the reviews, as the cap does', async () => {
  const steps = [
    IMPLEMENT,
    review(0, changesRequested('rename it')),
    fix(1),
    review(1, changesRequested('Rename it.')),
  ];
  const { code, stdout } = await runWith(steps);
  expect(code, stdout).toBe(0);
  expect(await storyNow()).toMatchObject({ passes: true, reviewStatus: 'approved', reviewCount: 2 });
  expect((await storyNow())?.['notes']).toContain('[AUTO-APPROVED: REVIEWS CONVERGED] Rename it.');
  expect((await entry()).receipt).toMatchObject({ by: 'converged', concerns: 'Rename it.' });
  expect((await commitsOf(project)).at(-1)).toBe('review(US-001): approved, the reviews converged');
  expect((await ledgerOf(project)).at(-1)?.reason).toContain('the reviews converged');
  await project.remove();

  const blocked = await runWith(steps, {}, { 'ralph.config.json': '{ "onReviewCap": "block" }\n' });
  expect(blocked.code, blocked.stdout).toBe(6);
  expect(await storyNow()).toMatchObject({
    passes: false,
    blocked: 'the last review found nothing new in unchanged work and it still found issues',
  });
});

test('what a review dropped without a change is dismissed, and does not come back', async () => {
  const { code, stdout } = await runWith([
    IMPLEMENT,
    review(0, tool('submit_review', { verdict: 'request_changes', findings: [{ claim: 'the name is too short' }] })),
    fix(1),
    review(1, changesRequested('- an error is not handled in src/one.txt')),
    fix(2, write('src/one.txt', 'two\n')),
    review(2, { 'expect-prompt': 'not to be brought up again' }, changesRequested('- The name is too short.')),
  ]);
  expect(code, stdout).toBe(0);
  expect(await states()).toEqual([
    'dismissed: the name is too short',
    'resolved: an error is not handled in src/one.txt',
  ]);
  expect((await entry()).receipt.by).toBe('review');
  expect((await storyNow())?.['notes']).toMatch(/raised only settled findings: F-[0-9a-f]{8} \(dismissed\)/);
  expect(stdout).toContain('repeated settled findings; dropped: F-');
});

test('what an agent makes of the findings in reviews.json is put back', async () => {
  const waives = shell('sed -i.bak s/open/waived/ ralph/reviews.json && rm ralph/reviews.json.bak');
  const { code, stdout } = await runWith([
    IMPLEMENT,
    review(0, changesRequested('rename it')),
    fix(1, waives, write('src/one.txt', 'two\n')),
    review(1, { 'expect-prompt': 'Verify each' }, APPROVED),
  ]);
  expect(code, stdout).toBe(0);
  expect(await states()).toEqual(['resolved: rename it']);
});

test('at the cap the receipt has what is still open, whatever the cap leads to', async () => {
  const steps = [IMPLEMENT, review(0, changesRequested('- rename it\n- test it'))];
  const approved = await runWith(steps, {}, { 'ralph.config.json': '{ "reviewCap": 1 }\n' });
  expect(approved.code).toBe(0);
  expect((await entry()).receipt).toMatchObject({
    by: 'cap',
    findings: [
      { claim: 'rename it', state: 'open' },
      { claim: 'test it', state: 'open' },
    ],
  });
  await project.remove();
  const blocked = await runWith(steps, {}, { 'ralph.config.json': '{ "reviewCap": 1, "onReviewCap": "block" }\n' });
  expect(blocked.code).toBe(6);
  expect(await states()).toEqual(['open: rename it', 'open: test it']);
});
