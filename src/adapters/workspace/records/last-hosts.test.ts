import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newHosts } from './last-hosts.ts';

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
