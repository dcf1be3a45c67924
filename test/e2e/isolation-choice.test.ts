import { spawnSync } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../src/platform/index.ts';
import { needs } from '../support/debian.ts';
import { makeProject, type Project, RALPH } from '../support/project.ts';
import { READY, write } from '../support/says.ts';

/** Which isolation a run takes, what it says about it, and when it refuses. */

const AUTO = { RALPH_ISOLATION_BACKEND: 'auto' };

let project: Project;

beforeEach(async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    verifyCommands: ['true'],
    steps: [{ do: [write('done.txt', 'done\n'), READY] }],
  });
});
afterEach(() => project?.remove());

const ISOLATING = new Set(['bwrap', 'podman', 'docker', 'sbx', 'srt']);

/** A folder with all programs of this machine but those that isolate. */
async function otherPrograms(): Promise<string> {
  const folder = join(project.outside, 'programs');
  await mkdir(folder);
  for (const place of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of await readdir(place).catch(() => [])) {
      if (!ISOLATING.has(name)) await symlink(join(place, name), join(folder, name)).catch(() => {});
    }
  }
  return folder;
}

/** Covers bwrap where the system has it, whatever PATH says, then starts what follows. */
const WITHOUT_BWRAP = `
for bwrap in /usr/bin/bwrap /bin/bwrap /usr/local/bin/bwrap; do
  [ ! -e "$bwrap" ] || mount --bind /dev/null "$bwrap" || exit 99
done
exec "$@"`;

/** Mounts of one's own. Where that is forbidden, bwrap does not work either, and needs no covering. */
const OWN_MOUNTS = [['--mount'], ['--user', '--map-root-user', '--mount']].find(
  (flags) => spawnSync('unshare', [...flags, 'true']).status === 0,
);

/** Runs ralph where nothing that isolates is to be found. */
async function ralphAlone(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const covered = OWN_MOUNTS ? ['unshare', ...OWN_MOUNTS, 'sh', '-c', WITHOUT_BWRAP, 'sh'] : [];
  const [file = '', ...rest] = [...covered, process.execPath, RALPH, ...args];
  const { exitCode, stdout, stderr } = await runCommand(file, rest, {
    cwd: project.root,
    env: {
      PATH: await otherPrograms(),
      HOME: project.outside,
      TMPDIR: project.outside,
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      ...env,
    },
  });
  return { code: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** The same for a run of the scripted agent. */
const runAlone = (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  ralphAlone(['run', '--scenario', project.scenario, ...args], env);

const once = ['-n', '1', '--skip-review'] as const;
const times = (text: string, part: string) => text.split(part).length - 1;

describe('where nothing can isolate', () => {
  test.each([
    ['--sandbox', [...once, '--sandbox'], {}, /nothing here can isolate the run/],
    ['--sandbox=bwrap', [...once, '--sandbox=bwrap'], {}, /bwrap cannot isolate the run/],
    ['--sandbox=container', [...once, '--sandbox=container'], {}, /container cannot isolate the run/],
    ['isolation.required', once, { RALPH_ISOLATION_REQUIRED: 'true' }, /nothing here can isolate the run/],
    ['a backend that the settings name', once, { RALPH_ISOLATION_BACKEND: 'bwrap' }, /bwrap cannot isolate the run/],
  ])('%s refuses with exit 7, says how to get it on this system, and touches nothing', async (_, args, env, what) => {
    const head = await project.git('rev-parse', 'HEAD');
    const { code, stderr } = await runAlone(args, env);
    expect(code, stderr).toBe(7);
    expect(stderr).toMatch(what);
    expect(stderr).toMatch(/fix: +\S/);
    expect(stderr).toContain('ralph run --no-sandbox');
    expect(await project.git('rev-parse', 'HEAD')).toBe(head);
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('a run goes on without, says so loudly and once, with how to get it', async () => {
    const { code, stdout } = await runAlone(once);
    expect(code, stdout).toBe(0);
    expect(times(stdout, 'NO ISOLATION')).toBe(1);
  });

  test('--no-sandbox goes on without the loud notice', async () => {
    const { code, stdout } = await runAlone([...once, '--no-sandbox']);
    expect(code, stdout).toBe(0);
    expect(stdout).not.toContain('NO ISOLATION');
    expect(times(stdout, 'no isolation')).toBe(1);
  });

  test('ralph doctor warns, with the reasons and the ways out', async () => {
    const { stdout } = await ralphAlone(['doctor', '--agent', 'claude']);
    expect(stdout).toMatch(/^! isolation none/m);
    expect(stdout).toMatch(/^ +not bwrap: /m);
    expect(stdout).toMatch(/^ +fix: \S/m);
  });
});

test('a backend that there is not is refused before anything starts', async () => {
  const { code, stderr } = await project.run([...once, '--sandbox=bwarp']);
  expect(code).toBe(2);
  expect(stderr).toContain("--sandbox does not take 'bwarp'");
});

const missing = await needs('bwrap');

describe.skipIf(missing)('where bwrap works', () => {
  test('auto takes it and says why nothing better', async () => {
    const { code, stdout } = await project.run(once, AUTO);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('bwrap');
    expect(stdout).not.toContain('NO ISOLATION');
    expect(await project.read('done.txt')).toBe('done\n');
  });

  test('--sandbox is content with it', async () => {
    const { code, stdout } = await project.run([...once, '--sandbox'], AUTO);
    expect(code, stdout).toBe(0);
  });

  test('ralph doctor names it, with what was tried', async () => {
    const { stdout } = await project.ralph(['doctor', '--agent', 'scripted'], AUTO);
    expect(stdout).toMatch(/^✓ isolation bwrap/m);
    expect(stdout).toMatch(/\d+ claims tested and confirmed/);
  });

  test('a program of this machine that is not inside is named, with what lets it in', async () => {
    const tools = join(project.outside, '../tools/bin');
    await mkdir(tools, { recursive: true });
    await symlink('/bin/true', join(tools, 'una'));
    const env = { ...AUTO, RALPH_VERIFY_COMMANDS: JSON.stringify([join(tools, 'una')]) };
    const { stdout } = await project.run(once, env);
    expect(stdout).toMatch(/una \(.*tools\/bin\/una\) is on this machine but not inside bwrap/);
    const read = JSON.stringify([join(tools, '..')]);
    const again = await project.run(once, { ...env, RALPH_ISOLATION_READ: read });
    expect(again.stdout).not.toContain('is on this machine but not inside');
  });
});
