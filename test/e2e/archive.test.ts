// @module-tag long
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { easySteps, makeProject, type Project } from '../support/project.ts';

const DATE = new Date().toISOString().slice(0, 10);
const FOLDER = `ralph-archive/${DATE}-test`;
let project: Project;
afterEach(() => project.remove());

/** A loop that is finished, without having been run. */
async function makeDone(): Promise<void> {
  project = await makeProject({ stories: [{ id: 'US-001', passes: true, reviewStatus: 'approved', reviewCount: 1 }] });
}

/** A story of the next loop with the id of the last one's. */
async function addStory(): Promise<void> {
  const { code, stderr } = await project.ralph(['stories', 'add', 'Another', '-c', 'it works', '--id', 'US-001']);
  expect([code, stderr]).toEqual([0, '']);
}

test('a story of the next loop with an old id starts clean', { tags: ['promise'] }, async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    verifyCommands: ['true'],
    // The first try fails: its attempt and its failure must not be those of the next loop's first story.
    steps: [
      { when: { story: 'US-001', attempt: 1, mode: 'implement' }, do: [{ say: 'nothing' }] },
      ...easySteps('US-001'),
    ],
  });
  expect((await project.run()).code).toBe(0);
  const archived = await project.ralph(['archive', '--json']);
  expect(archived).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(archived.stdout)).toMatchObject({ folder: FOLDER, stories: 1, done: 1 });
  expect(await project.read(`${FOLDER}/summary.md`)).toContain('1 of 1 story done.');

  await addStory();
  const fresh = JSON.parse((await project.ralph(['stories', 'show', 'US-001', '--json'])).stdout);
  expect(fresh).toMatchObject({
    attempts: 0,
    receipt: null,
    story: { title: 'Another', state: 'to do', reviewCount: 0 },
  });
  expect((await project.ralph(['run', '--dry-run'])).stdout).not.toContain('Before that');

  await project.write('src/US-001.txt', 'of the story before\n');
  await project.git('commit', '-qam', 'chore: make room');
  expect((await project.run(['--no-branch'])).code).toBe(0);
  const { receipt } = JSON.parse((await project.ralph(['stories', 'show', 'US-001', '--json'])).stdout);
  const archive = await project.git('log', '--format=%H', '--grep=Ralph-Archived');
  expect(await project.git('rev-list', `${archive}..${receipt.commits.base}`)).not.toContain(' ');
  expect(await project.git('merge-base', '--is-ancestor', archive, receipt.commits.base).then(() => true)).toBe(true);
});

test.each(['archive-copied', 'archive-planned', 'archive-closed', 'archive-renewed', 'archive-committed'])(
  'killed at %s, nothing is lost, and the next one finishes it',
  async (name) => {
    await makeDone();
    const before = await project.read('ralph/tasks.json');
    const killed = await project.ralph(['archive'], { RALPH_CRASHPOINT: name });
    expect(killed.signal).toBe('SIGKILL');
    const run = await project.run();
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('an archive was cut off') });
    const again = await project.ralph(['archive']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(await project.read(`${FOLDER}/tasks.json`)).toBe(before);
    expect(await project.stories()).toEqual([]);
    expect(await project.git('status', '--porcelain')).toBe('');
    expect((await project.git('log', '--format=%s', '--grep=Ralph-Archived')).split('\n')).toHaveLength(1);
  },
);

test('what somebody did since is not overwritten by an archive that was cut off', async () => {
  await makeDone();
  await project.ralph(['archive'], { RALPH_CRASHPOINT: 'archive-planned' });
  await project.git('commit', '-q', '--allow-empty', '-m', 'mine');
  const again = await project.ralph(['archive', '--json']);
  expect(again.code).toBe(0);
  expect(again.stderr).toContain(`its copies stay in ${FOLDER}`);
  expect(JSON.parse(again.stdout)).toMatchObject({ folder: `${FOLDER}-2` });
  expect(await project.git('log', '-1', '--format=%s', 'HEAD~1')).toBe('mine');
});

test('the loops of archives are told apart in a report on all runs', async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }], verifyCommands: ['true'], steps: easySteps('US-001') });
  await project.run(['--no-branch']);
  await project.ralph(['archive', '--label', 'login']);
  await addStory();
  await project.write('src/more.txt', '');
  await project.run(['--no-branch']);
  const { stdout } = await project.ralph(['report', '--all', '--format', 'json']);
  const { stories, iterations } = JSON.parse(stdout);
  expect(stories.map(({ id }: { id: string }) => id)).toEqual([`US-001 (${DATE}-login)`, 'US-001']);
  expect(iterations[0].story).toBe(`US-001 (${DATE}-login)`);
});

test('a link in the place of the archives is refused, and nothing is written behind it', async () => {
  await makeDone();
  await mkdir(`${project.outside}/elsewhere`);
  await symlink(`${project.outside}/elsewhere`, `${project.root}/ralph-archive`);
  const refused = await project.ralph(['archive']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('ralph-archive is a link')]);
  expect(await readdir(`${project.outside}/elsewhere`)).toEqual([]);
  expect((await project.stories())[0]).toMatchObject({ id: 'US-001' });
});

test('an agent cannot archive', async () => {
  await makeDone();
  const refused = await project.ralph(['archive', '--force'], { RALPH_RUN_ID: 'x' });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('ralph archive is not for agents');
});
