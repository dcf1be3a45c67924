import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { easySteps, makeProject, type Project } from '../support/project.ts';

/** Stands in for gh: writes down what it was called with, and answers as it would. */
const GH = `#!/bin/sh
printf '%s\\n' "$*" >>"$GH_LOG"
case "$1 $2" in
'auth status') [ -z "$GH_INVALID" ] || { echo 'X The token in GH_TOKEN is invalid.' >&2; exit 1; }
  [ -z "$GH_LOGGED_OUT" ] || { echo 'To get started, please run: gh auth login' >&2; exit 4; } ;;
'pr list') cat "$GH_OPEN" 2>/dev/null || echo '[]' ;;
'pr create') [ -z "$GH_REFUSES" ] || { echo "$GH_REFUSES" >&2; exit 1; }; cat >"$GH_LOG.body"; echo 'https://example.org/o/r/pull/7' ;;
'pr edit') cat >"$GH_LOG.body" ;;
esac
`;

let project: Project;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  project = await makeProject({
    stories: [
      { id: 'US-001', title: 'Thanks @una, fixes #12 <b>', url: 'https://github.com/una/app/issues/7' },
      { id: 'US-002', url: 'https://github.com/una/app/issues/9' },
    ],
    verifyCommands: ['true'],
    branchName: 'ralph/shop',
    steps: easySteps('US-001'),
  });
  const bin = join(project.outside, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'gh'), GH);
  await chmod(join(bin, 'gh'), 0o755);
  env = {
    PATH: `${bin}:${process.env['PATH']}`,
    GH_LOG: join(project.outside, 'gh.log'),
    GH_OPEN: join(project.outside, 'open.json'),
  };
  await project.git('init', '-q', '--bare', join(project.outside, 'remote.git'));
  await project.git('remote', 'add', 'origin', join(project.outside, 'remote.git'));
  await project.git('push', '-q', 'origin', 'main');
  await project.git('switch', '-q', '-c', 'ralph/shop');
  await project.git('commit', '-q', '--allow-empty', '-m', 'work');
});
afterEach(() => project.remove());

const log = () => readFile(join(project.outside, 'gh.log'), 'utf8').catch(() => '');
const pushed = () => project.git('ls-remote', 'origin', 'refs/heads/ralph/shop');

test('the branch is pushed, and a draft opened with the evidence', { tags: ['promise'] }, async () => {
  await project.run(['--max-iterations', '2']);
  await project.write(
    '.ralph/state/merge-requests.jsonl',
    `${JSON.stringify({ at: '2026-01-01T00:00:00.000Z', run: 'r', story: 'US-001', branch: 'ralph/shop', title: 'Please merge', body: '# Hello @una' })}\n`,
  );
  const ended = await project.ralph(['stream', 'merge', '--pr', '--json'], env);
  expect(ended).toMatchObject({ code: 0 });
  expect(JSON.parse(ended.stdout)).toMatchObject({
    branch: 'ralph/shop',
    base: 'main',
    pushed: true,
    url: 'https://example.org/o/r/pull/7',
    stories: 2,
    done: 1,
    requests: 1,
    title: 'Please merge',
  });
  expect(await pushed()).toContain(await project.git('rev-parse', 'ralph/shop'));
  expect(await log()).toContain('pr create --draft --head ralph/shop --base main --title Please merge --body-file -');
  const body = await readFile(join(project.outside, 'gh.log.body'), 'utf8');
  expect(body).toContain('**1 story is still open.**');
  expect(body).toContain('US-001');
  // Its issue is closed with the merge; that of the open story is not.
  expect(body.match(/^Closes .*$/gm)).toEqual(['Closes una/app#7']);
  expect(body).not.toMatch(/@una|#12|<b>|^# Hello/m);

  // Dealt with: the next text does not repeat it.
  const again = await project.ralph(['stream', 'merge', '--pr', '--dry-run', '--json'], env);
  expect(JSON.parse(again.stdout)).toMatchObject({ requests: 0, pushed: false });
});

test('a pull request that is open gets the new text', async () => {
  await writeFile(env['GH_OPEN'] ?? '', '[{"number":7,"url":"https://example.org/o/r/pull/7"}]');
  const { code, stdout } = await project.ralph(['stream', 'merge', '--pr'], env);
  expect([code, stdout]).toEqual([0, expect.stringContaining('updated the pull request')]);
  expect(await log()).toContain('pr edit 7 --body-file -');
  expect(await log()).not.toContain('pr create');
});

test('without a login nothing is pushed, and the text is there to be used by hand', async () => {
  const { code, stdout, stderr } = await project.ralph(['stream', 'merge', '--pr'], { ...env, GH_LOGGED_OUT: '1' });
  expect(code).toBe(2);
  expect(stdout).toContain('## Stories');
  expect(stderr).toContain('gh auth login');
  expect(stderr).toContain('git push origin ralph/shop');
  expect(await pushed()).toBe('');
});

test('a login that is not valid is none', async () => {
  const { code, stdout, stderr } = await project.ralph(['stream', 'merge', '--pr'], { ...env, GH_INVALID: '1' });
  expect(code).toBe(2);
  expect(stdout).toContain('## Stories');
  expect(stderr).toContain('The token in GH_TOKEN is invalid.');
  expect(stderr).toContain('Nothing was pushed.');
  expect(await pushed()).toBe('');
});

test.each([
  ['HTTP 401: Bad credentials', 'HTTP 401: Bad credentials'],
  ['pull request create failed: GraphQL: Draft pull requests are not supported in this repository.', 'has no draft'],
])('what fails after the push says that the branch is there: %s', async (GH_REFUSES, message) => {
  const { code, stdout, stderr } = await project.ralph(['stream', 'merge', '--pr'], { ...env, GH_REFUSES });
  expect(code).toBe(2);
  expect(stdout).toContain('## Stories');
  expect(stderr).toContain(message);
  expect(stderr).toContain('ralph/shop is pushed to origin');
  expect(await pushed()).not.toBe('');
  const { stdout: json } = await project.ralph(['stream', 'merge', '--pr', '--json'], { ...env, GH_REFUSES });
  expect(JSON.parse(json)).toMatchObject({ pushed: true, url: null });
});

test('a push that the remote refuses is never forced, and no pull request is opened', async () => {
  await project.git('push', '-q', 'origin', 'ralph/shop');
  await project.git('commit', '-q', '--amend', '--allow-empty', '-m', 'another');
  const { code, stderr } = await project.ralph(['stream', 'merge', '--pr'], env);
  expect(code).toBe(2);
  expect(stderr).toContain('git could not push ralph/shop to origin');
  expect(await log()).not.toContain('pr create');
});

test.each<[string, readonly string[], string]>([
  ['of two streams at once', ['1', '2', '--pr'], 'for one stream'],
  ['into itself', ['--pr', '--into', 'ralph/shop'], 'cannot be merged into itself'],
  ['with an unknown base', ['--pr', '--into', 'nowhere'], 'cannot be compared'],
  ['with an unknown remote', ['--pr', '--remote', 'nowhere'], "there is no remote 'nowhere'"],
])('%s it is refused, and nothing is pushed', async (_title, args, message) => {
  const { code, stderr } = await project.ralph(['stream', 'merge', ...args], env);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(await pushed()).toBe('');
});

test('a branch without commits of its own is refused', async () => {
  await project.git('switch', '-q', 'main');
  await project.git('branch', '-q', '-D', 'ralph/shop');
  await project.git('branch', '-q', 'ralph/shop');
  const { code, stderr } = await project.ralph(['stream', 'merge', '--pr'], env);
  expect([code, stderr]).toEqual([2, expect.stringContaining('has no commits that are not on main')]);
});

test('an agent cannot merge', async () => {
  const { code, stderr } = await project.ralph(['stream', 'merge', '--pr'], { ...env, RALPH_RUN_ID: 'x' });
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not for agents')]);
});

test('a hook of the tree does not run when the branch is pushed', async () => {
  await project.write('.husky/pre-push', `#!/bin/sh\ntouch '${join(project.outside, 'ran')}'\n`);
  await chmod(join(project.root, '.husky/pre-push'), 0o755);
  await project.git('config', 'core.hooksPath', '.husky');
  expect(await project.ralph(['stream', 'merge', '--pr'], env)).toMatchObject({ code: 0 });
  expect(await pushed()).not.toBe('');
  await expect(readFile(join(project.outside, 'ran'))).rejects.toThrow(/ENOENT/);
});

describe('ralph finish --pr', () => {
  const REF = 'refs/heads/ralph/shop-finished';
  const there = async (format = '%s') => {
    await project.git('fetch', '-q', 'origin');
    const told = await project.git('log', '--reverse', `--format=${format}`, 'main..origin/ralph/shop-finished');
    return told.split('\n');
  };
  const finish = (...args: readonly string[]) => project.ralph(['finish', '--pr', ...args], env);

  test('pushes clean commits as a branch of their own and opens a draft; later work comes on top', {
    tags: ['promise'],
  }, async () => {
    await project.run(['--max-iterations', '2']);
    const before = await project.git('for-each-ref', 'refs/heads');
    expect(await finish()).toMatchObject({ code: 2, stderr: expect.stringContaining('are not done: US-002') });
    const dry = await finish('--unfinished', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/feat\(US-001\)[\s\S]*## Stories/) });
    expect(await project.git('ls-remote', 'origin', REF)).toBe('');

    const { code, stdout, stderr } = await finish('--unfinished');
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain('checked before, on the merged tree: true');
    expect(stdout).toContain('pushed ralph/shop-finished to origin');
    expect(stdout).toContain('opened a draft pull request: https://example.org/o/r/pull/7');
    expect(await log()).toContain('pr create --draft --head ralph/shop-finished --base main');
    expect(await readFile(join(project.outside, 'gh.log.body'), 'utf8')).toMatch(/^Closes una\/app#7$/m);
    const first = ['work', expect.stringMatching(/^feat\(US-001\)/)];
    expect(await there()).toEqual(first);
    expect(await project.git('diff', '--name-only', 'main', 'origin/ralph/shop-finished')).toBe('src/US-001.txt');
    expect(await project.git('for-each-ref', 'refs/heads')).toBe(before);

    // The pull request was closed, or could not be opened: the commits are there already.
    expect(await finish('--unfinished')).toMatchObject({ code: 0, stdout: expect.stringContaining('opened a draft') });
    expect(await there()).toEqual(first);

    await writeFile(project.scenario, JSON.stringify({ version: 1, steps: easySteps('US-002') }));
    await project.run();
    const tip = await project.git('rev-parse', 'origin/ralph/shop-finished');
    const pushedBy = await project.git('commit-tree', '-p', tip, '-m', 'on the pull request', `${tip}^{tree}`);
    await project.git('push', '-q', join(project.outside, 'remote.git'), `${pushedBy}:${REF}`);
    const refused = await finish();
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('git could not push') });
    expect(await there()).toEqual([...first, 'on the pull request']);
    await writeFile(env['GH_OPEN'] ?? '', '[{"number":7,"url":"https://example.org/o/r/pull/7"}]');
    const { stdout: json } = await finish('--json');
    expect(JSON.parse(json)).toMatchObject({ branch: 'ralph/shop-finished', base: 'main', commits: 4, updated: true });
    expect(await there()).toEqual([...first, 'on the pull request', expect.stringMatching(/^feat\(US-002\)/)]);
    expect(await project.git('for-each-ref', 'refs/heads/main')).toBe(before.split('\n')[0]);
  });

  test('with --as-is it is the branch as it is; without a login nothing is made', async () => {
    expect(await finish('--as-is')).toMatchObject({ code: 0 });
    expect(await pushed()).toContain(await project.git('rev-parse', 'ralph/shop'));
    const refs = await project.git('for-each-ref');
    const { code, stderr } = await project.ralph(['finish', '--pr'], { ...env, GH_LOGGED_OUT: '1' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('gh auth login')]);
    expect(await project.git('for-each-ref')).toBe(refs);
  });
});
