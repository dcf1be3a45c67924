import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, READY, tool } from '../support/says.ts';

/** Stories that are called finished although nothing was changed for them. */

let project: Project;
afterEach(() => project?.remove());

const SUM = { 'src/sum.js': 'export const sum = (all) => all.reduce((a, b) => a + b, 0);\n' };
const doneBefore = (evidence: string) => ({
  status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true, ALREADY_DONE: true, EVIDENCE: evidence },
});

async function projectWith(said: readonly object[], review: readonly object[] = []): Promise<void> {
  project = await makeProject({
    files: SUM,
    stories: [{ id: 'US-001' }],
    steps: [
      { when: { mode: 'implement' }, do: [...said] },
      { when: { mode: 'review' }, do: [...review, APPROVED] },
    ],
  });
}

test.each([
  ['without evidence', READY, 'no evidence'],
  ['with evidence that does not exist', doneBefore('src/sum.js; src/product.js'), 'src/product.js'],
  ['with the file of stories as evidence', doneBefore('ralph/tasks.json'), 'ralph/tasks.json'],
  ['with a path outside of the work tree', doneBefore('../../etc/passwd'), '../../etc/passwd'],
  ['with a commit that is not there', doneBefore('0123456789'), '0123456789'],
])('a story without any change is no progress %s', async (_, said, reason) => {
  await projectWith([said]);
  const { code, stdout } = await project.run(['--once']);
  expect(code, stdout).toBe(1);
  expect(await ledgerOf(project)).toMatchObject([
    { verdict: 'no-progress', stateChanged: false, reason: expect.stringContaining(reason) },
  ]);
});

test('evidence that exists brings it to a review with a prompt of its own, and into the receipt', async () => {
  await projectWith(
    [{ 'expect-prompt': 'ALREADY_DONE' }, doneBefore('src/sum.js:1 adds up; commit START')],
    [{ 'expect-prompt': 'check that this is already done' }, { 'expect-prompt': '   - src/sum.js:1 adds up' }],
  );
  const head = (await project.git('rev-parse', '--short=9', 'HEAD')).trim();
  await writeFile(project.scenario, (await readFile(project.scenario, 'utf8')).replace('START', head));
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(0);
  expect(await ledgerOf(project)).toMatchObject([
    { verdict: 'accepted', reason: 'the agent says no change was needed; a review decides' },
    { verdict: 'accepted', state: 'approved' },
  ]);
  const reviews = JSON.parse(await project.read('ralph/reviews.json'));
  expect(JSON.stringify(reviews)).toContain(JSON.stringify(['src/sum.js:1 adds up', `commit ${head}`]));
});

test('the tool asks for the evidence at once, and takes it', async () => {
  const finished = { status: 'success', summary: 'it was there' };
  await projectWith([
    tool('complete_story', finished),
    { say: 'so I name what shows it' },
    tool('complete_story', { ...finished, already_done: true, evidence: ['src/sum.js'] }),
  ]);
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(0);
  const calls = (await eventsOf(project)).filter(({ type }) => type === 'tool-call');
  expect(calls).toMatchObject([{ refused: expect.stringContaining('already_done: true') }, { refused: null }]);
});

test('under --skip-review nothing can show it', async () => {
  await projectWith([doneBefore('src/sum.js')]);
  const { code } = await project.run(['--once', '--skip-review']);
  expect(code).toBe(1);
  expect(await ledgerOf(project)).toMatchObject([
    { verdict: 'no-progress', reason: expect.stringContaining('without a review') },
  ]);
});
