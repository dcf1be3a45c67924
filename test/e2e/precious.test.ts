import { existsSync, readFileSync } from 'node:fs';
import { chmod, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project, type ProjectOptions } from '../support/project.ts';

/** Files of the person that git ignores, and what an agent does to them. */

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const WORK = { write: { path: 'new.txt', content: 'new\n' } };
const RED = ['test ! -e new.txt'];
const IGNORED = '.env\nnode_modules/\nconfig/*.local.yml\nbig.bin\nprivate/\n';

let project: Project;
afterEach(() => project?.remove());

const there = (path: string) => existsSync(join(project.root, path));

async function make(actions: readonly unknown[], options: ProjectOptions = {}) {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    files: { '.gitignore': IGNORED, 'config/all.yml': 'a: 1\n' },
    ...options,
    steps: [{ do: actions }],
  });
  await project.write('.env', 'KEY=mine\n');
  await chmod(join(project.root, '.env'), 0o600);
  await project.write('config/secrets.local.yml', 'secret: 1\n');
  await project.write('node_modules/x/index.js', 'x\n');
}

async function once() {
  const ended = await project.run(['--once']);
  expect(ended.code, ended.stdout + ended.stderr).toBe(1);
  return ended.stdout;
}

async function restored(stdout: string, path: string) {
  const name = /ralph rescue restore (\S+)/.exec(stdout)?.[1] ?? '';
  expect(stdout).toContain(`ralph rescue restore ${name} ${path}`);
  const refused = await project.ralph(['rescue', 'restore', name, path]);
  expect(refused.code, refused.stderr).not.toBe(0);
  const ended = await project.ralph(['rescue', 'restore', name, path, '--force']);
  expect(ended.code, ended.stderr).toBe(0);
  return project.read(path);
}

test.each([
  ['rejected', [WORK, READY], RED],
  ['accepted', [WORK, READY], []],
  ['failed', [WORK, { crash: { exit: 3 } }], []],
])('what an iteration that is %s deleted comes back, with its mode', async (_, rest, verifyCommands) => {
  await make([{ run: 'rm -r .env config node_modules' }, ...rest], { verifyCommands });
  const stdout = await once();
  expect(await project.read('.env')).toBe('KEY=mine\n');
  expect((await lstat(join(project.root, '.env'))).mode & 0o777).toBe(0o600);
  expect(await project.read('config/secrets.local.yml')).toBe('secret: 1\n');
  expect(there('node_modules')).toBe(false);
  expect(stdout).toMatch(/\.env was deleted; it was put back/);
});

test('what a rejected iteration changed is put back, and the changed version kept', async () => {
  await make([{ run: 'echo KEY=other >.env; echo y >node_modules/x/index.js' }, WORK, READY], { verifyCommands: RED });
  const stdout = await once();
  expect(await project.read('.env')).toBe('KEY=mine\n');
  expect(await project.read('node_modules/x/index.js')).toBe('y\n');
  expect(await restored(stdout, '.env')).toBe('KEY=other\n');
});

test('what an accepted iteration changed stays, and the old version is kept', async () => {
  await make([{ run: 'echo KEY=other >.env' }, WORK, READY]);
  const stdout = await once();
  expect(await project.read('.env')).toBe('KEY=other\n');
  expect(await restored(stdout, '.env')).toBe('KEY=mine\n');
});

test('rules that an agent changes do not matter', async () => {
  await make([{ run: 'echo >.gitignore; rm .env' }, WORK, READY]);
  await once();
  expect(await project.read('.env')).toBe('KEY=mine\n');
  expect(await project.git('ls-files', '.env')).toBe('');
});

test('nothing is written through a link that an agent put in the place of a folder', async () => {
  await make([{ run: 'rm -r private; ln -s "$OUT" private' }, WORK, READY]);
  await project.write('private/key.txt', 'key\n');
  const outside = project.outside;
  const ended = await project.run(['--once'], { OUT: outside, RALPH_ENV_PASS: 'OUT' });
  expect(ended.stdout).toMatch(/private\/key\.txt was deleted/);
  expect(existsSync(join(outside, 'key.txt'))).toBe(false);
});

test('what is too large to be saved is missed', async () => {
  await make([{ run: 'rm big.bin' }, WORK, READY]);
  await project.write('big.bin', Buffer.alloc(1024 * 1024 + 1));
  expect(await once()).toMatch(/big\.bin was deleted.*too large/);
});

test('the setting widens and narrows', async () => {
  const precious = ['node_modules/x', 'big.bin', '!config/*.yml'];
  await make([{ run: 'rm -r big.bin node_modules config/secrets.local.yml' }, WORK, READY], {
    files: { '.gitignore': IGNORED, 'config/all.yml': 'a: 1\n', 'ralph.config.json': JSON.stringify({ precious }) },
  });
  await project.write('big.bin', Buffer.alloc(1024 * 1024 + 1));
  await once();
  expect([there('big.bin'), there('node_modules/x/index.js'), there('config/secrets.local.yml')]).toEqual([
    true,
    true,
    false,
  ]);
});

test.each(['agent-stopped', 'agent-ended', 'planned', 'rolled-back', 'files-written'])('killed at %s', async (at) => {
  await make([{ run: 'rm .env; echo changed >config/secrets.local.yml' }, WORK, READY], { verifyCommands: RED });
  const { signal } = await project.run(['--once'], { RALPH_CRASHPOINT: at });
  expect(signal).toBe('SIGKILL');
  await project.run(['--once', '--max-iterations', '1']);
  expect(readFileSync(join(project.root, '.env'), 'utf8')).toBe('KEY=mine\n');
  const refs = await project.git('for-each-ref', '--format=%(refname)', 'refs/ralph/rescue');
  const kept = await Promise.all(
    refs
      .trim()
      .split('\n')
      .map((ref) => project.git('show', `${ref}:config/secrets.local.yml`).catch(() => '')),
  );
  expect(kept.map((text) => text.trim())).toContain('changed');
});

test('an untracked file that accepted work deleted comes back, and the end of the run says so', {
  tags: ['promise'],
}, async () => {
  await make([{ run: 'rm mine.txt' }, WORK, READY]);
  await project.write('mine.txt', 'mine\n');
  await chmod(join(project.root, 'mine.txt'), 0o600);
  const stdout = await once();
  expect(await project.read('mine.txt')).toBe('mine\n');
  expect((await lstat(join(project.root, 'mine.txt'))).mode & 0o777).toBe(0o600);
  expect(stdout.split('Needs you')[1]).toContain('mine.txt');
  expect(stdout).toContain('The agent deleted your untracked files: mine.txt. They were restored.');
  expect(await project.git('log', '--all', '--format=%s', '--', 'mine.txt')).not.toContain('feat(');
});

test('one that is staged comes back, too, and what took the place of another stays', async () => {
  await make([{ run: 'rm -r mine.txt notes && echo work > notes' }, WORK, READY]);
  await project.write('mine.txt', 'mine\n');
  await project.write('notes/mine.txt', 'notes\n');
  await project.git('add', 'mine.txt');
  const { stdout } = await project.run(['--once', '--dirty', 'keep']);
  expect(await project.read('mine.txt')).toBe('mine\n');
  expect(await project.read('notes')).toBe('work\n');
  expect(stdout).toMatch(/replaced your files: notes\/mine\.txt/);
  const [rescue] = (await project.git('for-each-ref', '--format=%(refname)', 'refs/ralph/rescue')).split('\n');
  expect(await project.git('show', `${rescue}:notes/mine.txt`)).toBe('notes');
});

test.each(['planned', 'committed'])('after a kill at %s the untracked file comes back', async (point) => {
  await make([{ run: 'rm mine.txt' }, WORK, READY]);
  await project.write('mine.txt', 'mine\n');
  const killed = await project.run(['--once'], { RALPH_CRASHPOINT: point });
  expect(killed.signal).toBe('SIGKILL');
  expect((await project.run(['--once'])).code).toBe(1);
  expect(await project.read('mine.txt')).toBe('mine\n');
});

test('ignored folders that are gone are told, and checks that fail without them cost the story no attempt', async () => {
  await make([{ run: 'git clean -fdxq' }, WORK, READY], { verifyCommands: ['test -e node_modules/x/index.js'] });
  const stdout = await once();
  expect(stdout).toContain('Missing since the agent worked: node_modules/.');
  expect(stdout).toMatch(/rejected · .*node_modules\/ is gone/);
  expect(await project.read('.env')).toBe('KEY=mine\n');
  expect(JSON.parse((await project.ralph(['stories', 'show', 'US-001', '--json'])).stdout)).toMatchObject({
    attempts: 0,
  });
});
