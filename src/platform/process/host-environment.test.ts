import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../built.fixture.ts';
import { leaveOutWorkTree, leftOutOfEnvironment } from './host-environment.ts';

let top: string;
let repo: string;
beforeEach(async () => {
  top = realpathSync(await tempDir());
  repo = `${top}/repo`;
  mkdirSync(`${repo}/apps/web`, { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: repo });
});
afterEach(() => rmSync(top, { recursive: true }));

const pathIn = (path: string, dir = repo) => {
  const env: Record<string, string | undefined> = { PATH: path };
  leaveOutWorkTree(env, dir);
  return env['PATH'];
};

test('entries of PATH that are empty, relative or in the work tree go, in whatever folder of it one stands', () => {
  const path = `${repo}/node_modules/.bin::.:bin:/usr/bin:${top}/bin:${repo}-not`;
  expect(pathIn(path)).toBe(`/usr/bin:${top}/bin:${repo}-not`);
  expect(pathIn(path, `${repo}/apps/web`)).toBe(`/usr/bin:${top}/bin:${repo}-not`);
  expect(leftOutOfEnvironment()).toContain(`PATH: ${repo}/node_modules/.bin`);
});

test('a link outside that leads into the work tree is in it', () => {
  mkdirSync(`${repo}/bin`);
  symlinkSync(`${repo}/bin`, `${top}/linked`);
  expect(pathIn(`${top}/linked:/bin`)).toBe('/bin');
});

test('the work trees of one repository count as one, whichever of them one stands in', () => {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: repo, stdio: 'ignore' });
  git('-c', 'user.name=u', '-c', 'user.email=u@example.org', 'commit', '-qm', 'start', '--allow-empty');
  git('worktree', 'add', '-q', `${top}/other`);
  const path = `${repo}/bin:${top}/other/bin:/bin`;
  expect(pathIn(path)).toBe('/bin');
  expect(pathIn(path, `${top}/other`)).toBe('/bin');
});

test('variables that load code go when they name a file of the work tree, and stay otherwise', () => {
  const env: Record<string, string | undefined> = {
    NODE_OPTIONS: '--max-old-space-size=4096 --require ./tools/hook.js',
    BASH_ENV: `${repo}/start.sh`,
    GIT_SSH_COMMAND: `ssh -F ${top}/ssh`,
    LD_PRELOAD: '/usr/lib/x.so',
    HOME: repo,
  };
  leaveOutWorkTree(env, repo);
  expect(env).toEqual({ GIT_SSH_COMMAND: `ssh -F ${top}/ssh`, LD_PRELOAD: '/usr/lib/x.so', HOME: repo });
});

test('outside of a repository only what is empty or relative goes', () => {
  expect(pathIn(`${top}/bin:.:/bin`, top)).toBe(`${top}/bin:/bin`);
});
