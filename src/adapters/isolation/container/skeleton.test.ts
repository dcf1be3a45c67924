import { mkdir, mkdtemp, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCommand } from '../../../platform/index.ts';
import type { Engine } from './engine.ts';
import { provideSkeleton } from './skeleton.ts';

let place = '';

afterEach(() => rm(place, { recursive: true, force: true }));

/** Knows no image, and keeps the one that it is to import. */
const PODMAN = `#!/bin/sh
[ "$1" = import ] || exit 1
cat > "$KEPT"
`;

test('an engine gets an image with folders and links, names too long for the form of a tar among them', async () => {
  place = await mkdtemp(join(tmpdir(), 'ralph-tar-'));
  const kept = join(place, 'kept.tar');
  const root = join(place, 'root');
  await mkdir(root);
  await writeFile(join(place, 'podman'), PODMAN, { mode: 0o755 });
  const long = `/${'a'.repeat(60)}/${'ü'.repeat(60)}`;
  const links = new Map([
    ['/bin', '/usr/bin'],
    [`${long}/link`, long],
  ]);
  const skeleton = { folders: [long], temporary: ['/tmp'], links };
  const env = { PATH: `${place}:${process.env['PATH']}`, KEPT: kept };
  const image = await provideSkeleton({ name: 'podman', global: [] } as unknown as Engine, skeleton, env);
  expect(image).toMatch(/^localhost\/ralph-skeleton:[0-9a-f]{16}$/);
  expect((await runCommand('tar', ['-xpf', kept, '-C', root], { cwd: '/' })).exitCode).toBe(0);
  expect((await stat(join(root, 'tmp'))).mode & 0o7777).toBe(0o1777);
  expect((await stat(join(root, 'dev'))).mode & 0o7777).toBe(0o755);
  expect((await stat(join(root, long))).isDirectory()).toBe(true);
  expect(await readlink(join(root, 'bin'))).toBe('/usr/bin');
  expect(await readlink(join(root, long, 'link'))).toBe(long);
});
