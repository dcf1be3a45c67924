import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { remove } from '../../src/platform/index.ts';
import { makeProject, type Project } from '../support/project.ts';

/** What an agent leaves that no checkpoint could hold, and that git would look at for hours. */

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const WORK = { write: { path: 'new.txt', content: 'new\n' } };

let project: Project;
afterEach(async () => {
  // What is too deep for a path is removed step by step.
  await remove(dirname(project.root));
});

const DEEP = `node -e '
  for (let i = 0; i < 400; i += 1) { const name = "d".repeat(200); require("fs").mkdirSync(name); process.chdir(name); }
  require("fs").writeFileSync("x", "x");'`;

test.each([
  ['a file of 30 GB without content', 'truncate -s 30G big.bin', 'big.bin (30.0 GB) is too large'],
  ['a file with a name that git refuses', 'mkdir d && touch d/git~1', 'd/git~1 is named too much like .git'],
  [
    'a large file in a folder whose name is no text',
    'd="$(printf "\\377")" && mkdir "$d" && truncate -s 30G "$d/big.bin"',
    'big.bin (30.0 GB) is too large',
  ],
  [
    'a repository elsewhere that would hold git up',
    'mkdir -p sub x/refs x/objects && mkfifo x/HEAD && echo "gitdir: ../x" > sub/.git && touch sub/file',
    'sub/.git leads git to what is not a file',
  ],
  [
    'a repository with a ref that has no end',
    'git init -q sub && ln -s /dev/zero "sub/.git/$(cut -c 6- sub/.git/HEAD)" && touch sub/file',
    'sub/.git leads git to what is not a file',
  ],
  ['400 folders in one another with long names', DEEP, 'nested too deep'],
])('%s is moved aside, the iteration is rejected with the reason, and the run continues', async (_, run, reason) => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [{ when: { iteration: 1 }, do: [{ run }, WORK, READY] }, { do: [WORK, READY] }],
  });
  const { code, stdout } = await project.run(['--max-iterations', '2']);
  expect(code, stdout).toBe(1);
  expect(stdout).toContain(reason);
  expect(stdout).toContain('rejected');
  expect(stdout).toContain('rm -rf');
  expect(readdirSync(project.root).filter((name) => /^(big|ddd)/.test(name))).toEqual([]);
  expect(await project.git('log', '-1', '--format=%s', '--', 'new.txt')).toBe('feat(US-001): story US-001');
});

test('after a crash the next start moves it aside before it looks at anything', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [
      { when: { attempt: 1, iteration: 1 }, do: [{ run: 'truncate -s 30G big.bin' }, WORK, READY] },
      { do: [WORK, READY] },
    ],
  });
  await project.run(['--once'], { RALPH_CRASHPOINT: 'agent-stopped' });
  expect(lstatSync(join(project.root, 'big.bin')).size).toBeGreaterThan(1e10);
  const { stdout, code } = await project.run(['--once']);
  expect(code, stdout).toBe(1);
  expect(readdirSync(project.root)).not.toContain('big.bin');
});

test('rights that a file would hand on are taken off it', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [{ do: [{ run: 'cp /bin/true mine && chmod 6755 mine' }, WORK, READY] }],
  });
  const { stdout } = await project.run(['--once']);
  expect(lstatSync(join(project.root, 'mine')).mode & 0o7777).toBe(0o755);
  expect(stdout).toContain('mine would have run with the rights of its owner or group');
});

test('a work tree and a git dir that an agent closed are opened again', async () => {
  const closed = { run: { command: 'chmod 000 .git/objects .git .', expect: 'any' } };
  project = await makeProject({ stories: [{ id: 'US-001' }], steps: [{ do: [WORK, closed, READY] }] });
  const { stdout } = await project.run(['--once']);
  expect(stdout).toContain('accepted');
  expect(lstatSync(project.root).mode & 0o700).toBe(0o700);
});
