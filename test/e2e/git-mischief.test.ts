import { chmod } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project, type ProjectOptions } from '../support/project.ts';

/** What an agent may do to the repository besides its work, and what is left of it when the loop is through. */

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const WORK = { write: { path: 'new.txt', content: 'new\n' } };

let project: Project;
afterEach(() => project?.remove());

async function iteration(
  actions: readonly object[],
  options: ProjectOptions = {},
  prepare?: () => Promise<void>,
): Promise<string> {
  project = await makeProject({ stories: [{ id: 'US-001' }], ...options, steps: [{ do: actions as never }] });
  await prepare?.();
  const { code, stdout, stderr } = await project.run(['--once']);
  expect({ code, stderr }, stdout).toEqual({ code: 1, stderr: '' });
  return stdout;
}

const subjects = async (range: string) =>
  (await project.git('log', '--reverse', '--format=%s', range))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('chore(ralph)'));

test("the agent's own commits become one, keep their messages in its body, and stay reachable", async () => {
  await iteration([
    WORK,
    { commit: 'first half' },
    { write: { path: 'more.txt', content: 'more\n' } },
    { commit: 'second half' },
    READY,
  ]);
  expect(await subjects('main..HEAD')).toEqual(['feat(US-001): story US-001']);
  const message = await project.git('log', '-1', '--format=%B');
  expect(message).toContain('- first half\n- second half');
  expect(message).toMatch(/Ralph-Iteration: 1\nRalph-Story: US-001$/);
  const kept = await project.git('for-each-ref', '--format=%(refname)', 'refs/ralph/iterations');
  expect(await subjects(`main..${kept}`)).toEqual(['first half', 'second half']);
});

test('what their messages say steers neither a terminal nor a CI', async () => {
  await iteration([WORK, { commit: 'fix: \u001b]0;x\u0007tax\u202e [skip ci] [No CI] [ci skip] [ok]' }, READY]);
  expect(await project.git('log', '-1', '--format=%B')).toContain('\n- fix: tax (skip ci) (No CI) (ci skip) [ok]\n');
});

test('`commits: keep` leaves them on the branch, with the rest in a commit on top', async () => {
  await iteration([WORK, { commit: 'first half' }, { write: { path: 'more.txt', content: 'more\n' } }, READY], {
    files: { 'ralph.config.json': '{ "commits": "keep" }\n' },
  });
  expect(await subjects('main..HEAD')).toEqual(['first half', 'feat(US-001): story US-001']);
  expect(await project.git('show', '--name-only', '--format=', 'HEAD')).not.toContain('new.txt');
  expect(await project.git('status', '--porcelain')).toBe('');
});

const KEEP = { files: { 'ralph.config.json': '{ "commits": "keep" }\n' } };

test('`commits: keep` never takes a commit back that was there before', async () => {
  const rewrite = {
    run: 'git commit -q --amend -m rewritten && git reset -q --soft HEAD~1 && git commit -qm squashed',
  };
  const stdout = await iteration([WORK, rewrite, READY], KEEP);
  const [start] = (await project.git('rev-list', '--reverse', 'main')).split('\n');
  expect(await project.git('log', '--format=%s', 'HEAD')).toMatch(/^feat\(US-001\): story US-001\n.*\nstart$/s);
  expect(await project.git('merge-base', '--is-ancestor', start as string, 'HEAD')).toBe('');
  expect(await subjects('main..HEAD')).toEqual(['feat(US-001): story US-001']);
  expect(stdout).toContain('they rewrite earlier history');
  const kept = await project.git('for-each-ref', '--format=%(refname)', 'refs/ralph/iterations');
  expect(await project.git('log', '-1', '--format=%s', kept)).toBe('squashed');
});

test("`commits: keep` never commits an untracked file of the user's that `git add -A` swept along", async () => {
  const all = { run: 'git add -A && git commit -qm everything' };
  const stdout = await iteration([WORK, all, READY], KEEP, () => project.write('notes.txt', 'mine\n'));
  expect(await subjects('main..HEAD')).toEqual(['feat(US-001): story US-001']);
  expect(await project.git('ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('notes.txt');
  expect(await project.git('status', '--porcelain')).toBe('?? notes.txt');
  expect(stdout).toContain('they contain files that it did not change (notes.txt)');
});

test('what a failing commit hook printed is shown', async () => {
  const hook = () => project.write('.git/hooks/pre-commit', '#!/bin/sh\necho "lint says no: bad style"; exit 1\n');
  const stdout = await iteration([WORK, READY], {}, async () => {
    await hook();
    await chmod(`${project.root}/.git/hooks/pre-commit`, 0o755);
  });
  expect(stdout).toContain('│ lint says no: bad style');
});

test('a protected file that an agent broke keeps nobody from being heard', async () => {
  const stdout = await iteration([WORK, { write: { path: 'ralph/reviews.json', content: 'x' } }, READY]);
  expect(stdout).toContain('accepted');
  expect(stdout).not.toContain('could not be read');
});

test("an agent that switches the branch: its work lands on the loop's branch, the other one is told and kept", async () => {
  const stdout = await iteration([{ run: 'git checkout -q main' }, WORK, { commit: 'on main' }, READY]);
  expect(await project.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('ralph/test');
  expect(await subjects('ralph/test')).toEqual(['start', 'feat(US-001): story US-001']);
  expect(stdout).toContain('refs changed: refs/heads/main');
  expect(await project.git('for-each-ref', '--format=%(subject)', 'refs/ralph/moved')).toBe('start');
});

test('history that the agent resets or rewrites is back', { tags: ['promise'] }, async () => {
  await iteration([
    {
      run: 'git commit -q --amend -m rewritten && git reset -q --hard HEAD~1 2>/dev/null; git update-ref -d refs/heads/ralph/test; true',
    },
    WORK,
    READY,
  ]);
  expect(await subjects('ralph/test')).toEqual(['start', 'feat(US-001): story US-001']);
});

test('other refs that move are told and kept, those that go come back', async () => {
  const stdout = await iteration(
    [{ run: 'git branch -q -f precious HEAD~0 && git tag -d v1' }, WORK, READY],
    {},
    async () => {
      await project.git('branch', 'precious');
      await project.git('tag', '-a', 'v1', '-m', 'release');
      await project.git('commit', '-q', '--allow-empty', '-m', 'on top');
    },
  );
  expect(stdout).toContain('refs/heads/precious');
  expect(stdout).toContain('Deleted while the agent worked, and restored: v1.');
  const kept = await project.git('for-each-ref', '--format=%(refname) %(objecttype)', 'refs/ralph/moved');
  expect(kept).toMatch(/refs\/heads\/precious commit/);
  expect(await project.git('cat-file', '-t', 'v1')).toBe('tag');
});

test('planted hooks, settings and filters never run on the host, are put back, and are held against the agent', async () => {
  const plant = [
    'printf "#!/bin/sh\\ntouch ../outside/hook\\n" > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit',
    'git config core.fsmonitor "touch ../outside/fsmonitor; false"',
    'git config filter.evil.clean "touch ../outside/filter; cat"',
    'echo "* filter=evil" > .git/info/attributes',
  ].join(' && ');
  const stdout = await iteration([{ run: plant }, WORK, READY]);
  expect(stdout).toContain('protected-git-dir');
  for (const name of ['hook', 'fsmonitor', 'filter'])
    await expect(project.read(`../outside/${name}`), name).rejects.toThrow();
  expect(await project.git('config', '--list', '--local')).not.toMatch(/fsmonitor|evil/);
  expect(await subjects('main..HEAD')).toEqual(['feat(US-001): story US-001']);
});

test('a push goes nowhere', { tags: ['promise'] }, async () => {
  await iteration(
    [{ run: { command: 'git push -q origin HEAD:refs/heads/stolen', expect: 'fail' } }, WORK, READY],
    {},
    async () => {
      await project.git('init', '-q', '--bare', '../outside/remote.git');
      await project.git('remote', 'add', 'origin', '../outside/remote.git');
    },
  );
  expect(await project.git('ls-remote', 'origin')).toBe('');
});

test('an agent that commits on the branch and then leaves it is brought back', async () => {
  await iteration([
    WORK,
    { commit: 'mine' },
    { run: 'git checkout -q -b elsewhere' },
    { write: { path: 'more.txt', content: 'more\n' } },
    READY,
  ]);
  expect(await project.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('ralph/test');
  expect(await subjects('main..ralph/test')).toEqual(['feat(US-001): story US-001']);
});

test('after a roll-back plumbing sees no change either: the index is fresh', async () => {
  await iteration([{ write: { path: 'README.md', content: 'changed\n' } }, { crash: { exit: 3 } }]);
  expect(await project.git('diff-index', '--name-only', 'HEAD')).toBe('');
});

test('branches and tags of the person that the agent deleted come back, and are told', async () => {
  const stdout = await iteration(
    [{ run: 'git branch -q -D idea && git tag -d v1 && git branch -q -D main' }, WORK, READY],
    {},
    async () => {
      await project.git('branch', 'idea');
      await project.git('tag', '-a', '-m', 'one', 'v1');
    },
  );
  expect(stdout).toContain('Deleted while the agent worked, and restored: idea, main, v1.');
  expect(await project.git('rev-parse', 'idea')).toBe(await project.git('rev-parse', 'main'));
  expect(await project.git('cat-file', '-t', 'v1')).toBe('tag');
});
