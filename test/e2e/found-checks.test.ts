import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, READY, write } from '../support/says.ts';

/** Checks that the project has and nobody named, and projects that have none. */

let project: Project;
afterEach(() => project?.remove());

const manifest = (test: string) => JSON.stringify({ name: 'shop', scripts: { test } });
const STEPS = [
  { when: { mode: 'implement' }, do: [write('a.txt', 'a\n'), READY] },
  { when: { mode: 'review' }, do: [APPROVED] },
];

/** Of every event in order; empty for those that are not notices. */
const notices = async () =>
  (await eventsOf(project)).map((event) => (event.type === 'notice' && 'text' in event ? String(event.text) : ''));

const BACKLOGS = [
  ['tasks.json', undefined],
  ['a Markdown plan', { path: 'ralph/plan.md', text: '# Plan\n\n- [ ] **US-001** add a file\n' }],
  [
    'prd.json',
    {
      path: 'ralph/prd.json',
      text: JSON.stringify({ userStories: [{ id: 'US-001', title: 'add a file', passes: false }] }),
    },
  ],
  ['a lone prompt', { path: 'PROMPT.md', text: 'Add a file.\n' }],
] as const;

type Backlog = (typeof BACKLOGS)[number][1];

async function projectWith(backlog: Backlog, test: string): Promise<void> {
  project = await makeProject({
    files: { 'package.json': manifest(test) },
    stories: [{ id: 'US-001' }],
    ...(backlog ? { backlog } : {}),
    steps: STEPS,
  });
  if (backlog?.path !== 'PROMPT.md') return;
  await project.git('rm', '-q', 'ralph/prd.md');
  await project.git('commit', '-q', '-m', 'no spec folder');
}

test.each(BACKLOGS)('checks that the project has are found and used: %s', async (_, backlog) => {
  await projectWith(backlog, 'test ! -e broken.txt');
  const { stdout } = await project.run(['--dry-run']);
  expect(stdout).toContain('checks    npm test');
});

test('found checks are frozen: an agent that removes them from the project is judged by them all the same', async () => {
  project = await makeProject({
    files: { 'package.json': manifest('test ! -e broken.txt') },
    stories: [{ id: 'US-001' }],
    steps: [{ when: { iteration: 1 }, do: [{ delete: 'package.json' }, READY] }, ...STEPS],
  });
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(0);
  expect(await notices()).toContain('checks: `npm test` (found in the project files)');
  expect(await ledgerOf(project)).toMatchObject([
    { verdict: 'rejected', checks: [{ command: 'npm test', ok: false }] },
    { verdict: 'accepted', checks: [{ command: 'npm test', ok: true }] },
    { verdict: 'accepted', checks: [{ command: 'npm test', ok: true }] },
  ]);
});

test.each(BACKLOGS)('that there are none is said before the first agent: %s', async (_, backlog) => {
  await projectWith(backlog, 'echo "Error: no test specified" && exit 1');
  await project.run(['--max-iterations', '1']);
  const events = await eventsOf(project);
  const said = (await notices()).findIndex((text) => text.startsWith('NO CHECKS'));
  expect(said).toBeGreaterThanOrEqual(0);
  expect(said).toBeLessThan(events.findIndex(({ type }) => type === 'agent-start'));
});

test('stories without a check of their own are named where others have one', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001', verifyCommands: ['true'] }, { id: 'US-002' }],
    steps: STEPS,
  });
  await project.run(['--once']);
  expect((await notices()).join('\n')).toContain('NO CHECKS for US-002');
});
