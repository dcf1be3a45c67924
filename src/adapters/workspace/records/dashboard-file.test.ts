import { stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { dashboardFilePath, readDashboardToken, renewDashboardToken } from './dashboard-file.ts';

test('a token is kept for its owner alone, and read back until there is a new one', async () => {
  const env = { XDG_STATE_HOME: await tempTree() };
  expect(await readDashboardToken(env)).toBeNull();
  const first = await renewDashboardToken(env);
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(await readDashboardToken(env)).toBe(first);
  const path = dashboardFilePath(env);
  expect([(await stat(path)).mode & 0o777, (await stat(dirname(path))).mode & 0o777]).toEqual([0o600, 0o700]);
  const second = await renewDashboardToken(env);
  expect([second === first, await readDashboardToken(env)]).toEqual([false, second]);
});

test.each(['', 'no JSON', '{}', 'null', '{"token":"short"}', '{"token":7}', `{"token":"${'a/'.repeat(22)}"}`])(
  'a file that holds %j holds no token',
  async (text) => {
    const env = { XDG_STATE_HOME: await tempTree({ 'ralph/dashboard/': '' }) };
    await writeFile(dashboardFilePath(env), text);
    expect(await readDashboardToken(env)).toBeNull();
  },
);

test('a place that cannot be written is named, with the way out', async () => {
  const root = await tempTree({ taken: 'a file' });
  const message = await messageOf(renewDashboardToken({ XDG_STATE_HOME: join(root, 'taken') }));
  expect(message).toContain("the dashboard's token cannot be kept");
  expect(message).toContain('set XDG_STATE_HOME to a folder you may write');
});
