import { stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { exists, readText } from '../../../platform/files/files.ts';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { type ControlFile, controlFilePath, removeControlFile, writeControlFile } from './control-file.ts';

const file: ControlFile = { url: 'http://127.0.0.1:1', token: 't', pid: 7, run: 'r1', root: '/work' };

test.each([
  [{ XDG_STATE_HOME: '/state', HOME: '/home/x' }, '/state/ralph/control/r1.json'],
  [{ HOME: '/home/x' }, '/home/x/.local/state/ralph/control/r1.json'],
  [{ XDG_STATE_HOME: '', HOME: '/home/x' }, '/home/x/.local/state/ralph/control/r1.json'],
  [{ XDG_STATE_HOME: 'relative', HOME: '/home/x' }, '/home/x/.local/state/ralph/control/r1.json'],
  [{}, join(homedir(), '.local/state/ralph/control/r1.json')],
])('with %j the file is %s', (env, path) => {
  expect(controlFilePath(env, 'r1')).toBe(path);
});

test('the file is for its owner alone, whatever was there before', async () => {
  const env = { XDG_STATE_HOME: await tempTree({ 'ralph/control/': '' }) };
  const path = controlFilePath(env, 'r1');
  await writeFile(path, 'old', { mode: 0o644 });
  await writeControlFile(env, file);
  expect(JSON.parse((await readText(path)) ?? '')).toEqual(file);
  expect([(await stat(path)).mode & 0o777, (await stat(dirname(path))).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('removing takes the file of this run only, and may be done twice', async () => {
  const env = { XDG_STATE_HOME: await tempTree() };
  await writeControlFile(env, file);
  await writeControlFile(env, { ...file, run: 'r2' });
  await removeControlFile(env, 'r1');
  await removeControlFile(env, 'r1');
  expect(await exists(controlFilePath(env, 'r1'))).toBe(false);
  expect(await exists(controlFilePath(env, 'r2'))).toBe(true);
});

test('a place that cannot be written is named, with the way out', async () => {
  const root = await tempTree({ taken: 'a file' });
  const message = await messageOf(writeControlFile({ XDG_STATE_HOME: join(root, 'taken') }, file));
  expect(message.replaceAll(root, '')).toMatchInlineSnapshot(`
    "Error: the run's control file cannot be written
      where: /taken/ralph/control
      why:   ENOTDIR: not a directory, mkdir '/taken/ralph/control'
      mend:  set XDG_STATE_HOME to a folder you may write"
  `);
});
