import { execFileSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { READY, shell, tool, write } from '../support/says.ts';

/**
 * An agent may be held in a place where it sees less than the loop. What it puts where the loop's own files belong – a
 * link, a folder, something huge – fetches nothing for it from outside, and never ends a run.
 */

let project: Project;
afterEach(() => project?.remove());

const STORIES = [{ id: 'US-001' }, { id: 'US-002' }];
const SECRET = 'SECRET-OF-THE-HOST';
const WORK = write('src/one.txt', 'one\n');
/** The folder of the scenario lies beside the repository. */
const OUTSIDE = '../outside';

const projectWhere = (...does: readonly string[]) =>
  makeProject({ stories: STORIES, steps: [{ do: [WORK, ...does.map(shell), READY] }] });

async function plantSecrets() {
  await project.write(`${OUTSIDE}/secret`, `# ${SECRET}\n`);
  const story = { id: 'US-900', title: SECRET, acceptanceCriteria: [SECRET], priority: 0 };
  for (const file of ['tickets.json', 'spec/tasks.json']) {
    await project.write(`${OUTSIDE}/${file}`, JSON.stringify({ project: 'p', userStories: [story] }));
  }
  for (const file of ['progress.txt', 'prd.md', 'prompt.md']) await project.write(`${OUTSIDE}/spec/${file}`, SECRET);
}

/** Neither the work tree nor any object of the repository holds what lies outside. */
async function nothingCameIn() {
  expect(await project.git('cat-file', '--batch-all-objects', '--batch', '--unordered')).not.toContain(SECRET);
  expect(await project.git('ls-files', 'ralph')).toContain('ralph/tasks.json');
  expect(await project.git('status', '--porcelain')).toBe('');
  expect(await project.read('ralph/progress.txt')).not.toContain(SECRET);
}

const REWRITTEN = ['progress/rewritten'];
const UNREADABLE = ['transition/backlog-unreadable'];
const MISCHIEF: readonly (readonly [title: string, does: string, rules: readonly string[]])[] = [
  ['a link out for the log', `ln -sf ../${OUTSIDE}/secret ralph/progress.txt`, REWRITTEN],
  ['a link to nowhere for the log', 'ln -sf nowhere ralph/progress.txt', REWRITTEN],
  ['a link into the git dir for the log', 'ln -sf ../.git/config ralph/progress.txt', REWRITTEN],
  ['a folder for the log', 'rm ralph/progress.txt && mkdir -p ralph/progress.txt/sub', REWRITTEN],
  ['a huge file for the log', 'truncate -s 40M ralph/progress.txt', REWRITTEN],
  ['a link out for the backlog', `ln -sf ../${OUTSIDE}/tickets.json ralph/tasks.json`, UNREADABLE],
  ['a link out for the spec folder', `mv ralph ../moved && ln -s ${OUTSIDE}/spec ralph`, UNREADABLE],
  ['a link to the moved spec folder', 'mv ralph spec && ln -s spec ralph', UNREADABLE],
  ['a file for the spec folder', 'rm -r ralph && touch ralph', UNREADABLE],
  ['a link to nowhere for the spec folder', 'rm -r ralph && ln -s nowhere ralph', UNREADABLE],
];

test.each(MISCHIEF)('an agent that puts %s gets nothing by it', async (_, does, rules) => {
  const crash = { when: { iteration: 1 }, do: [WORK, shell(does), { crash: { exit: 3 } }] };
  project = await makeProject({ stories: STORIES, steps: [crash, { do: [WORK, shell(does), READY] }] });
  await plantSecrets();
  const { code, stdout, stderr } = await project.run(['--max-iterations', '2', '--skip-review']);
  expect({ code, stderr }, stdout).toEqual({ code: 1, stderr: '' });
  const lines = await ledgerOf(project);
  expect(lines.map(({ verdict }) => verdict)).toEqual(['agent-error', 'accepted']);
  expect(lines[1]?.violations.map(({ rule }) => rule)).toEqual(expect.arrayContaining([...rules]));
  await nothingCameIn();
  expect(await project.git('log', '--format=%s', '--', 'src')).toBe('feat(US-001): story US-001');
});

test.each([
  ['spec folder', 'mv ralph spec && ln -s spec ralph'],
  ['log', 'echo "# The log" > log.txt && ln -s ../log.txt ralph/progress.txt'],
  ['backlog', 'mv ralph/tasks.json tasks.json && ln -s ../tasks.json ralph/tasks.json'],
])('a %s that is a link inside the repository is worked with', async (_, command) => {
  project = await makeProject({ stories: [{ id: 'US-001' }], steps: [{ do: [WORK, READY] }] });
  execFileSync('sh', ['-ec', command], { cwd: project.root });
  await project.git('add', '-A');
  await project.git('commit', '-q', '-m', 'a link');
  const { code, stdout, stderr } = await project.run(['--skip-review']);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  expect(await project.stories()).toMatchObject([{ passes: true }]);
  expect(await project.git('status', '--porcelain')).toBe('');
});

test.each([
  ['spec folder', `rm -r ralph && ln -s ${OUTSIDE}/spec ralph`],
  ['log', `ln -s ../${OUTSIDE}/secret ralph/progress.txt`],
  ['backlog', `ln -sf ../${OUTSIDE}/tickets.json ralph/tasks.json`],
  ['template', `ln -s ../${OUTSIDE}/secret ralph/PROMPT.md`],
])('a %s that leads out of the repository is refused at the start', async (_, command) => {
  project = await projectWhere();
  await plantSecrets();
  execFileSync('sh', ['-ec', command], { cwd: project.root });
  const { code, stderr } = await project.run();
  expect(code).toBe(2);
  expect(stderr).toMatch(/leads out of the work tree|is outside the work tree/);
});

test('the tools of an agent do not follow a link out', async () => {
  const does = [
    shell(`ln -sf ../${OUTSIDE}/tickets.json ralph/tasks.json`),
    tool('list_stories'),
    tool('get_story', { id: 'US-900' }),
  ];
  project = await makeProject({ stories: STORIES, steps: [{ do: [WORK, ...does, READY] }] });
  await plantSecrets();
  const { stdout, stderr } = await project.run(['--once', '-v']);
  expect(stdout + stderr).not.toContain(SECRET);
  await nothingCameIn();
});
