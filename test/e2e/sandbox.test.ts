import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { needs } from '../support/debian.ts';
import { makeProject, type Project } from '../support/project.ts';

/** `ralph sandbox`: what is said of the backends, and whether it is true. */

const missing = { bwrap: await needs('bwrap'), container: await needs('podman') };

let project: Project;
beforeEach(async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }], verifyCommands: ['true'] });
});
afterEach(() => project?.remove());

const AUTO = { RALPH_ISOLATION_BACKEND: 'auto' };
const state = () => join(project.outside, '.local/state/ralph');

interface Row {
  readonly id: string;
  readonly backend: string;
  readonly attempt: string;
  readonly held: boolean;
}

interface Backend {
  readonly unlimited?: readonly string[];
}

describe.each(['bwrap', 'container'] as const)('%s', (backend) => {
  test.skipIf(missing[backend])('holds against every way out that is tried, and nothing of that is left', async () => {
    const { code, stdout, stderr } = await project.ralph(
      ['sandbox', 'status', '--deep', '--backend', backend, '--json'],
      AUTO,
    );
    const { rows, backends } = JSON.parse(stdout) as { rows: readonly Row[]; backends: readonly Backend[] };
    // An ordinary user may not limit memory everywhere; then the backend says so.
    const { unlimited = [] } = backends[0] ?? {};
    expect(rows.filter(({ held, id }) => !held && !unlimited.includes(id))).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(45);
    expect(new Set(rows.map((row) => row.backend))).toEqual(new Set([backend]));
    expect(backends).toEqual([expect.objectContaining({ name: backend, available: true })]);
    expect({ code, stderr }).toEqual({ code: rows.every(({ held }) => held) ? 0 : 1, stderr: '' });
    expect((await readdir(state())).filter((name) => name.startsWith('ralph-battery'))).toEqual([]);
    expect(await readdir(join(state(), 'control'))).toEqual([]);
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test.skipIf(missing[backend])('opens for one command: what an agent would see, and its exit code', async () => {
    await writeFile(join(project.outside, 'secret.txt'), 'a secret\n');
    const script = `
      cat README.md
      cat "${project.outside}/secret.txt"
      echo made > made.txt
      echo mine > ralph/prd.md
      git commit -q --allow-empty -m inside && git log -1 --format=%s
      exit 7`;
    const shell = ['sandbox', 'shell', '--backend', backend, '--', 'sh', '-c', script];
    const head = await project.git('rev-parse', 'HEAD');
    const { code, stdout } = await project.ralph(shell, AUTO);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '# project\ninside\n' });
    expect(await project.read('made.txt')).toBe('made\n');
    expect(await project.read('ralph/prd.md')).toContain('Whatever the stories say');
    expect(await project.git('rev-parse', 'HEAD')).toBe(head);
  });

  test.skipIf(missing[backend])('a shell has a stand-in for the key of an agent, as the agent has', async () => {
    const shell = ['sandbox', 'shell', '--backend', backend, '--', 'sh', '-c', 'echo "$ANTHROPIC_API_KEY"; env'];
    const { stdout } = await project.ralph(shell, {
      ...AUTO,
      RALPH_AGENT: 'claude',
      ANTHROPIC_API_KEY: 'the-key-of-una',
    });
    expect(stdout).toMatch(/^sk-ant-api03-ralph-[0-9a-f]{48}\n/);
    expect(stdout).not.toContain('the-key-of-una');
  });

  test.skipIf(missing[backend])('keeps logins until they are removed, and nothing else of a home folder', async () => {
    const made = await project.ralph(['sandbox', 'create', backend], AUTO);
    const logins = join(state(), 'isolation', 'logins');
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toContain(`logins made inside are kept in ${logins}`);
    const logIn = `echo '{"claudeAiOauth":{"accessToken":"a"},"x":1}' > ~/.claude/.credentials.json; touch ~/planted`;
    await project.ralph(['sandbox', 'shell', '--backend', backend, '--', 'sh', '-c', logIn], AUTO);
    expect(await readFile(join(logins, '.claude/.credentials.json'), 'utf8')).toContain('"accessToken": "a"');
    const look = 'cat ~/.claude/.credentials.json; ls -A ~';
    const { stdout } = await project.ralph(['sandbox', 'shell', '--backend', backend, '--', 'sh', '-c', look], AUTO);
    expect(stdout).toContain('"accessToken": "a"');
    expect(stdout).not.toContain('planted');
    const refused = await project.ralph(['sandbox', 'remove', backend], AUTO);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`ralph sandbox remove ${backend} --yes`);
    expect((await project.ralph(['sandbox', 'remove', backend, '--yes'], AUTO)).code).toBe(0);
    expect(await readdir(join(state(), 'isolation'))).toEqual(['homes']);
  });
});

test.skipIf(missing.bwrap)('ralph sandbox says of every backend what holds, and what a run here takes', async () => {
  await project.write(
    'ralph.config.json',
    '{ "isolation": { "allowHosts": ["registry.example.com"], "localPorts": [5432], "memory": "2g" } }',
  );
  const { code, stdout } = await project.ralph(['sandbox'], AUTO);
  expect(stdout).toMatch(/^✓ bwrap +bubblewrap \d/m);
  expect(stdout).toMatch(/^ {2}held +a file outside the work tree cannot be written$/m);
  expect(stdout).toMatch(/^- sbx /m);
  expect(stdout).toMatch(/^a run here uses bwrap$/m);
  expect(stdout).toContain('registry.example.com (isolation.allowHosts)');
  expect(stdout).toContain('5432 (isolation.localPorts)');
  expect(stdout).toMatch(/2\.0 GB of memory|memory not limited here/);
  // A path stays whole, however long.
  expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes('/'))).toEqual([]);
  expect(code).toBe(0);
});

test('a backend that is not there ends with 7 and how to get it, one that nobody knows with 2', async () => {
  const gone = await project.ralph(['sandbox', 'status', '--backend', 'sbx'], AUTO);
  expect(gone.code).toBe(7);
  expect(gone.stderr).toContain('Error: sbx cannot be used here');
  expect(gone.stderr).toContain('install Docker Sandboxes');
  const unknown = await project.ralph(['sandbox', 'status', '--backend', 'contaner'], AUTO);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('did you mean container?');
});

test('where nothing isolates there is no shell to be had', async () => {
  const { code, stderr } = await project.ralph(['sandbox', 'shell', '--', 'true'], { RALPH_ISOLATION_BACKEND: 'none' });
  expect(code).toBe(7);
  expect(stderr).toContain('isolation is off');
});
