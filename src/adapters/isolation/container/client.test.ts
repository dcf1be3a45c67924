import { mkdirSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientEnvironment } from './client.ts';
import { makeProject } from './project.fixture.ts';

test('a program that was planted where the inside can write is not found', async () => {
  const { base, root, input, dispose } = await makeProject({}, {});
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(base, 'bin'));
  symlinkSync(root, join(base, 'alias'));
  const folders = [
    ...[join(root, 'node_modules/.bin'), join(base, 'alias/node_modules/.bin')],
    ...['bin', '', '.', join(base, 'bin'), '/usr/bin', '/nowhere'],
  ];
  const { PATH } = await clientEnvironment({ ...input, env: { PATH: folders.join(':') } });
  await dispose();
  expect(PATH).toBe([join(base, 'bin'), '/usr/bin', '/nowhere'].join(':'));
});

test('its home folder is that of the account, where rootless engines keep their images', async () => {
  const { input, dispose } = await makeProject({}, {});
  const client = await clientEnvironment(input);
  await dispose();
  expect(client['HOME']).toBe(homedir());
});
