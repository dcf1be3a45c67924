import { mkdtemp, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCommand } from '../../../platform/index.ts';
import { packTar } from './skeleton.ts';

let place = '';

afterEach(() => rm(place, { recursive: true, force: true }));

test('tar unpacks folders and links, names too long for the form among them', async () => {
  place = await mkdtemp(join(tmpdir(), 'ralph-tar-'));
  const long = `${'a'.repeat(60)}/${'ü'.repeat(60)}`;
  const tar = packTar([
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
    { kind: 'folder', path: long, mode: 0o755 },
    { kind: 'link', path: 'bin', target: '/usr/bin' },
    { kind: 'link', path: `${long}/link`, target: `/${long}` },
  ]);
  const { exitCode } = await runCommand('tar', ['-xpf', '-', '-C', place], { cwd: '/', input: tar });
  expect(exitCode).toBe(0);
  expect((await stat(join(place, 'tmp'))).mode & 0o7777).toBe(0o1777);
  expect((await stat(join(place, long))).isDirectory()).toBe(true);
  expect(await readlink(join(place, 'bin'))).toBe('/usr/bin');
  expect(await readlink(join(place, long, 'link'))).toBe(`/${long}`);
});
