import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { newHosts, readDashboardToken, renewDashboardToken, stateHome } from './state-home.ts';

test.each([
  [{ XDG_STATE_HOME: '/state', HOME: '/home/x' }, '/state/ralph'],
  [{ HOME: '/home/x' }, '/home/x/.local/state/ralph'],
  [{ XDG_STATE_HOME: '', HOME: '/home/x' }, '/home/x/.local/state/ralph'],
  [{ XDG_STATE_HOME: 'relative', HOME: '/home/x' }, '/home/x/.local/state/ralph'],
  [{}, join(homedir(), '.local/state/ralph')],
])('with %j the folder is %s', (env, path) => {
  expect(stateHome(env)).toBe(path);
});

test('a place that cannot be written is named, with the way out', async () => {
  const root = await tempTree({ taken: 'a file' });
  const message = await messageOf(renewDashboardToken({ XDG_STATE_HOME: join(root, 'taken') }));
  expect(message.replaceAll(root, '')).toMatchInlineSnapshot(`
    "Error: the dashboard's token cannot be kept
      where: /taken/ralph/dashboard
      why:   ENOTDIR: not a directory, mkdir '/taken/ralph/dashboard'
      fix:   set XDG_STATE_HOME to a folder you may write"
  `);
});

const TOKEN_FILE = 'ralph/dashboard/token.json';

test('a token is kept for its owner alone, and read back until there is a new one', async () => {
  const env = { XDG_STATE_HOME: await tempTree() };
  expect(await readDashboardToken(env)).toBeNull();
  const first = await renewDashboardToken(env);
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(await readDashboardToken(env)).toBe(first);
  const path = join(env.XDG_STATE_HOME, TOKEN_FILE);
  expect([(await stat(path)).mode & 0o777, (await stat(dirname(path))).mode & 0o777]).toEqual([0o600, 0o700]);
  const second = await renewDashboardToken(env);
  expect([second === first, await readDashboardToken(env)]).toEqual([false, second]);
});

test.each(['', 'no JSON', '{}', 'null', '{"token":"short"}', '{"token":7}', `{"token":"${'a/'.repeat(22)}"}`])(
  'a file that holds %j holds no token',
  async (text) => {
    const env = { XDG_STATE_HOME: await tempTree({ 'ralph/dashboard/': '' }) };
    await writeFile(join(env.XDG_STATE_HOME, TOKEN_FILE), text);
    expect(await readDashboardToken(env)).toBeNull();
  },
);

test('a place that cannot be written is named, with the way out', async () => {
  const root = await tempTree({ taken: 'a file' });
  const message = await messageOf(renewDashboardToken({ XDG_STATE_HOME: join(root, 'taken') }));
  expect(message).toContain("the dashboard's token cannot be kept");
  expect(message).toContain('set XDG_STATE_HOME to a folder you may write');
});

test('what the last run in this work tree might not reach is new; the first run has nothing to compare with', async () => {
  const home = await mkdtemp(join(tmpdir(), 'ralph-hosts-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const env = { HOME: home };
  expect(await newHosts(env, '/shop', ['a.example'])).toEqual([]);
  expect(await newHosts(env, '/shop', ['a.example', 'b.example'])).toEqual(['b.example']);
  expect(await newHosts(env, '/shop', ['b.example'])).toEqual([]);
  expect(await newHosts(env, '/other', ['c.example'])).toEqual([]);
  const folder = join(home, '.local/state/ralph/hosts');
  for (const name of await readdir(folder)) {
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    await writeFile(join(folder, name), '[nonsense');
  }
  expect(await newHosts(env, '/shop', ['d.example'])).toEqual([]);
});
