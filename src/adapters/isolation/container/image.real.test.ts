import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../../../../test/support/debian.ts';
import { runCommand } from '../../../platform/index.ts';
import { buildBridge } from '../view/bridge.fixture.ts';
import { buildImage } from './image.ts';
import { openContainer } from './open.ts';
import { makeProject, runInside, script } from './project.fixture.ts';

const missing = await needs('podman');

describe.skipIf(missing)('an image of one’s own', () => {
  const BARE = `localhost/ralph-test-bare:${process.pid}`;
  const WHOLE = `localhost/ralph-test-whole:${process.pid}`;
  const BUILT = `localhost/ralph-test-built:${process.pid}`;
  const env = { ...process.env, PATH: `/usr/bin:/usr/sbin:${process.env['PATH']}` };
  let place = '';

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'ralph-image-'));
    await buildBridge();
    await importRoot(BARE, []);
    await importRoot(WHOLE, [
      [process.execPath, '/opt/node/bin/node'],
      ['/usr/bin/git', '/usr/bin/git'],
    ]);
  });

  afterAll(async () => {
    await podman('rmi', '--force', BARE, WHOLE, BUILT);
    await rm(place, { recursive: true, force: true });
  });

  test('programs come from the image; the work tree and the home folder from the host', async () => {
    const project = await makeProject(env, { engine: 'podman', image: WHOLE });
    const isolation = openContainer(project.input);
    await isolation.prepare({ run: `image-${process.pid}`, localPorts: [], onRefusal: () => {} });
    const text =
      'command -v node; git --version; ls /usr/share; echo x > made; echo y > ~/kept; cat made ~/kept; exit 3';
    const { exitCode, out } = await runInside(isolation, script(project, text));
    // By its path on the host it is not there, by its name it is.
    const named = await runInside(isolation, { ...script(project, ''), file: '/nowhere/git', args: ['--version'] });
    await isolation.dispose();
    await project.dispose();
    expect(out.split('\n')).toEqual(['/usr/bin/node', expect.stringContaining('git version'), 'x', 'y']);
    expect(exitCode).toBe(3);
    expect(named.out).toContain('git version');
  });

  test('the probe tries every claim in it', async () => {
    const probe = await probeOf(WHOLE);
    expect(probe.claims.filter(({ held }) => !held)).toEqual([]);
    expect(probe).toMatchObject({ available: true, detail: expect.stringContaining(WHOLE) });
  });

  test('the probe says what an image lacks, and how to get one', async () => {
    expect(await probeOf(BARE)).toMatchObject({
      available: false,
      detail: `the image ${BARE} has no git and no node ≥ 20`,
      fix: [expect.stringContaining('Containerfile')],
    });
    expect(await probeOf('localhost/ralph-test-none')).toMatchObject({
      detail: 'podman does not have the image localhost/ralph-test-none',
    });
  });

  test('an image is built from a Containerfile; a failed build says so', async () => {
    const lines: string[] = [];
    writeFileSync(join(place, 'Containerfile'), 'FROM scratch\nCOPY Containerfile /\n');
    writeFileSync(join(place, 'Broken'), 'FROM scratch\nCOPY nothing /\n');
    const build = { engine: 'podman', tag: BUILT, context: place } as const;
    await buildImage({ ...build, file: join(place, 'Containerfile') }, (line) => lines.push(line), env);
    expect(lines.join('\n')).toContain('COPY Containerfile');
    expect((await podman('image', 'inspect', BUILT)).exitCode).toBe(0);
    await expect(buildImage({ ...build, file: join(place, 'Broken') }, () => {}, env)).rejects.toMatchObject({
      facts: { what: `the image ${BUILT} could not be built` },
    });
  });

  async function probeOf(image: string) {
    const project = await makeProject(env, { engine: 'podman', image });
    const probe = await openContainer(project.input).probe();
    await project.dispose();
    return probe;
  }

  /** Imports an image of busybox and these programs with their libraries, so that no registry is needed. */
  async function importRoot(image: string, programs: readonly (readonly [from: string, at: string])[]): Promise<void> {
    const root = await mkdtemp(join(place, 'root-'));
    const put = (from: string, at: string) => {
      mkdirSync(join(root, dirname(at)), { recursive: true });
      cpSync(realpathSync(from), join(root, at));
    };
    put('/bin/busybox', '/bin/busybox');
    for (const name of ['sh', 'ls', 'cat']) symlinkSync('busybox', join(root, 'bin', name));
    mkdirSync(join(root, 'usr/bin'), { recursive: true });
    mkdirSync(join(root, 'usr/share'));
    for (const [from, at] of programs) {
      put(from, at);
      if (!at.startsWith('/usr/bin/')) symlinkSync(at, join(root, 'usr/bin/node'));
      const { stdout } = await runCommand('ldd', [from], { cwd: '/' });
      for (const [library] of stdout.toString('utf8').matchAll(/\/\S+/g)) put(library, library);
    }
    const tar = await runCommand('tar', ['-C', root, '--mode=a+rX', '-cf', join(place, 'root.tar'), '.'], { cwd: '/' });
    const imported = await podman('import', join(place, 'root.tar'), image);
    expect([tar.exitCode, imported.exitCode]).toEqual([0, 0]);
    await rm(root, { recursive: true, force: true });
  }

  function podman(...args: readonly string[]) {
    return runCommand('podman', args, { cwd: '/', env });
  }
});
