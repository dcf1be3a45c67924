import { execFile } from 'node:child_process';
import { access, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { until } from '../support/until.ts';

const exec = promisify(execFile);
let project: Project | null = null;
afterEach(async () => {
  await project?.remove();
  project = null;
});

/** Each fails when two files say what must not be said together. */
const CHECK = 'test ! -e bad.txt && ! { grep -qs yes one.txt && grep -qs yes other.txt; }';

type Step = Readonly<Record<string, unknown>>;

function story(id: string, fields: Step = {}): Step {
  return { id, passes: false, ...fields };
}

/** Implements by these actions, then says that it is done. */
function implement(id: string, ...actions: readonly Step[]): Step {
  return {
    when: { story: id, mode: 'implement' },
    do: [...actions, { story: { set: { reviewStatus: 'needs_review' } } }, { say: 'Done.' }],
  };
}

const review: Step = {
  when: { mode: 'review' },
  do: [{ story: { set: { reviewStatus: 'approved', passes: true }, increase: { reviewCount: 1 } } }, { say: 'Good.' }],
};

const write = (path: string, content: string): Step => ({ write: { path, content } });
const pause = (seconds: number): Step => ({ run: `sleep ${seconds}` });

/** Everything that goes wrong between stories: overlaps, conflicts, checks that are red only together, a question. */
function backlog(): Parameters<typeof makeProject>[0] {
  return {
    verifyCommands: [CHECK],
    files: { 'shared.txt': 'start\n' },
    stories: [
      story('US-001', { paths: ['src/a'] }),
      story('US-002', { paths: ['src/a/x.txt'] }),
      story('US-003'),
      story('US-004'),
      story('US-005', { dependsOn: ['US-003'] }),
      story('US-006'),
      story('US-007'),
      story('US-008'),
      story('US-009', { dependsOn: ['US-008'] }),
      story('US-010'),
    ],
    steps: [
      review,
      implement('US-001', write('src/a/x.txt', 'one\n')),
      implement('US-002', { run: 'echo two >> src/a/x.txt' }),
      // Both add to the end of one file, and say so to nobody.
      implement('US-003', { run: 'echo three >> shared.txt' }, pause(0.3)),
      implement('US-004', { run: 'echo four >> shared.txt' }, pause(0.3)),
      implement('US-005', { run: 'grep three shared.txt && echo five > five.txt' }),
      // Green each, red together, until the second one sees the first.
      implement('US-006', { run: 'test -e other.txt && echo no > one.txt || echo yes > one.txt' }, pause(0.3)),
      implement('US-007', { run: 'test -e one.txt && echo no > other.txt || echo yes > other.txt' }, pause(0.3)),
      { when: { story: 'US-008' }, do: [{ status: { STATUS: 'BLOCKED', RECOMMENDATION: 'which colour?' } }] },
      implement('US-010', write('ten.txt', 'ten\n')),
    ],
  };
}

async function leftovers({ git }: Project): Promise<readonly string[]> {
  const trees = (await git('worktree', 'list')).split('\n');
  const refs = (await git('for-each-ref', '--format=%(refname)')).split('\n');
  return [
    ...trees.slice(1),
    ...refs.filter(
      (ref) => !/^refs\/(heads\/(main|ralph\/test)|ralph\/(rescue|checkpoint|iterations|spec)\b.*)$/.test(ref),
    ),
  ];
}

/** How it must end, in whatever order stories landed. */
async function expectTheEnd(ended: Project): Promise<void> {
  const stories = await ended.stories();
  const done = stories.filter(({ passes }) => passes).map(({ id }) => id);
  expect(done).toEqual(['US-001', 'US-002', 'US-003', 'US-004', 'US-005', 'US-006', 'US-007', 'US-010']);
  expect(stories.find(({ id }) => id === 'US-008')).toMatchObject({ blocked: expect.stringContaining('colour') });
  expect((await ended.read('shared.txt')).split('\n').sort()).toEqual(['', 'four', 'start', 'three']);
  expect(await ended.read('src/a/x.txt')).toBe('one\ntwo\n');
  expect([await ended.read('one.txt'), await ended.read('other.txt')].sort()).toEqual(['no\n', 'yes\n']);
  expect(await ended.read('five.txt')).toBe('five\n');
  expect(await ended.read('ten.txt')).toBe('ten\n');
  await exec('sh', ['-c', CHECK], { cwd: ended.root });
}

/** What a run with lanes must not leave, and the person's own file. */
async function expectNothingLeft(ended: Project): Promise<void> {
  expect(await ended.read('mine.txt')).toBe('of the person\n');
  expect(await ended.git('status', '--porcelain')).toBe('?? mine.txt');
  expect(await leftovers(ended)).toEqual([]);
}

it('works on several stories at once and ends as one after the other does', { tags: ['promise'] }, async () => {
  project = await makeProject(backlog());
  await project.write('mine.txt', 'of the person\n');
  const { stdout, code } = await project.run(['--parallel', '3', '-n', '60']);
  expect(code).toBe(6);
  await expectTheEnd(project);
  await expectNothingLeft(project);
  // Two did not fit, and began again; what they were is kept.
  expect(stdout).toMatch(/US-00[34]: done in its lane → to do \(both changed shared.txt\)/);
  expect(stdout).toMatch(/US-00[67]: done in its lane → to do \(passed in its lane, fails together/);
  const landings = (await project.git('log', '--first-parent', '--format=%s', 'ralph/test')).split('\n');
  expect(landings.filter((subject) => subject.startsWith('land('))).toHaveLength(8);
  expect(landings).toContain('chore(ralph): US-008 is blocked');
  await project.remove();

  project = await makeProject(backlog());
  expect((await project.run(['-n', '60'])).code).toBe(6);
  await expectTheEnd(project);
});

it('ends the same when it is killed again and again', { tags: ['long'] }, async () => {
  project = await makeProject(backlog());
  await project.write('mine.txt', 'of the person\n');
  const args = ['run', '--scenario', project.scenario, '-n', '60'];
  let dice = 7;
  for (let kill = 0; kill < 8; kill++) {
    // One after the other in between: it does what lanes have at work, and lanes have to let go of it.
    const { child, ended } = project.start(kill % 3 === 2 ? args : [...args, '--parallel', '3']);
    dice = (dice * 1103515245 + 12345) % 2147483648;
    const timer = setTimeout(() => child.kill('SIGKILL'), 500 + (dice % 2000));
    const { code } = await ended;
    clearTimeout(timer);
    if (code !== null) break;
  }
  const { code, stdout, stderr } = await project.run(['--parallel', '3', '-n', '60']);
  expect(code, stdout + stderr).toBe(6);
  await expectTheEnd(project);
  await expectNothingLeft(project);
});

it.each(['lane-landing', 'lane-landed'])('finishes a landing that was cut off at %s', async (place) => {
  project = await makeProject({
    stories: [story('US-001'), story('US-002')],
    steps: [review, implement('US-001', write('a.txt', 'a\n')), implement('US-002', write('b.txt', 'b\n'))],
  });
  const cut = await project.run(['--parallel', '2'], { RALPH_CRASHPOINT: `${place}#2` });
  expect(cut.code).toBe(null);
  const { code, stdout } = await project.run(['--parallel', '2']);
  expect(code, stdout).toBe(0);
  expect([await project.read('a.txt'), await project.read('b.txt')]).toEqual(['a\n', 'b\n']);
  const subjects = (await project.git('log', '--first-parent', '--format=%s')).split('\n');
  expect(subjects.filter((subject) => subject.startsWith('land('))).toHaveLength(2);
  expect(await project.git('status', '--porcelain')).toBe('');
  expect(await leftovers(project)).toEqual([]);
});

it('loses nothing that landed when it dies between two stories of a lane', { tags: ['long'] }, async () => {
  const outside = '../../../../outside';
  const reviewing = `test -e .git/HEAD || { mkdir -p ${outside}/at/\${PWD##*-}; test -e ${outside}/go || sleep 30; }`;
  project = await makeProject({
    stories: [story('US-001'), story('US-002'), story('US-003', { dependsOn: ['US-001'] }), story('US-004')],
    steps: [
      { ...review, do: [{ run: reviewing }, ...doOf(review)] },
      implement('US-001', write('a.txt', 'a\n')),
      implement('US-002', write('b.txt', 'b\n')),
      implement('US-003', write('c.txt', 'c\n')),
      implement('US-004', write('d.txt', 'd\n')),
    ],
  });
  const { child, ended } = project.start(['run', '--scenario', project.scenario, '--parallel', '2']);
  const at = `${project.outside}/at`;
  await until(async () => (await readdir(at).catch(() => [])).length === 2);
  child.kill('SIGKILL');
  await ended;
  await project.write('../outside/go', '');
  // Both are done without lanes, and that run dies, too, before it tidies up.
  expect((await project.run([], { RALPH_CRASHPOINT: 'done#4' })).signal).toBe('SIGKILL');
  for (const place of ['recovered', 'kept', 'free', 'reset', 'run', 'begun']) {
    const cut = await project.run(['--parallel', '2'], { RALPH_CRASHPOINT: `lane-${place}` });
    expect([place, cut.signal], cut.stdout).toEqual([place, 'SIGKILL']);
  }
  const { code, stdout } = await project.run(['--parallel', '2']);
  expect(code, stdout).toBe(0);
  const files = (await project.git('ls-tree', '--name-only', 'ralph/test')).split('\n');
  expect(files.filter((name) => name.endsWith('.txt'))).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt']);
  expect(await leftovers(project)).toEqual([]);
});

it('keeps what lanes have when it is interrupted, and goes on with it', async () => {
  project = await makeProject({
    stories: [story('US-001'), story('US-002')],
    steps: [
      { when: { mode: 'review', iteration: 2 }, do: [{ 'wait-for-file': '../../../../outside/go' }, ...doOf(review)] },
      review,
      implement('US-001', write('a.txt', 'a\n')),
      implement('US-002', write('b.txt', 'b\n')),
    ],
  });
  const { child, ended } = project.start(['run', '--scenario', project.scenario, '--parallel', '2']);
  const { root } = project;
  await until(async () => (await heads(root)).filter((subject) => subject.startsWith('feat(')).length === 2);
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  await project.write('../outside/go', '');
  expect((await heads(root)).filter((subject) => subject.startsWith('feat('))).toHaveLength(2);
  const { code, stdout } = await project.run(['--parallel', '2']);
  expect(code, stdout).toBe(0);
  expect(stdout).not.toContain('implement ·');
  expect([await project.read('a.txt'), await project.read('b.txt')]).toEqual(['a\n', 'b\n']);
});

it('names what lanes have, and a run without lanes that does it keeps their work and clears them', async () => {
  project = await makeProject({
    stories: [story('US-001'), story('US-002'), story('US-003')],
    steps: [
      review,
      implement('US-001', write('a.txt', 'a\n')),
      implement('US-002', write('b.txt', 'b\n')),
      implement('US-003', write('c.txt', 'c\n')),
    ],
  });
  expect((await project.run(['--parallel', '2', '-n', '2'])).code).toBe(1);
  const { stdout } = await project.ralph(['status']);
  expect(stdout).toMatch(/^in lanes +US-001, US-002$/m);
  expect(stdout).toMatch(/^up next +.*US-003/m);
  expect(stdout).toContain('ralph run --parallel 2');
  const { code, stderr } = await project.run([]);
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/US-00[12]: the work of an earlier lane is kept: ralph rescue show \S+/);
  expect(await leftovers(project)).toEqual([]);
  await expect(access(`${project.root}/.ralph/worktrees`)).rejects.toThrow();
});

it('refuses what leaves nothing to do beside it', async () => {
  project = await makeProject({ stories: [story('US-001')] });
  for (const other of [['--once'], ['--story', 'US-001']]) {
    const { code, stderr } = await project.run(['--parallel', '2', ...other]);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot be used together');
  }
  expect((await project.run(['--parallel', '99'])).code).toBe(2);
});

const doOf = (step: Step) => step['do'] as readonly Step[];

/** Subjects of the commits at which the lanes stand. */
async function heads(root: string): Promise<readonly string[]> {
  const { stdout } = await exec('git', ['worktree', 'list', '--porcelain'], { cwd: root });
  const ids = [...stdout.matchAll(/^HEAD ([0-9a-f]+)$/gm)].map(([, id]) => String(id));
  const shown = await Promise.all(ids.map((id) => exec('git', ['log', '-1', '--format=%s', id], { cwd: root })));
  return shown.map((one) => one.stdout.trim());
}
