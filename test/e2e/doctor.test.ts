import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../src/platform/index.ts';
import { makeProject, type Project, RALPH } from '../support/project.ts';

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly fix: readonly string[];
}

let project: Project;
let bin: string;

beforeEach(async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }], verifyCommands: ['true'] });
  bin = join(project.outside, 'bin');
  await mkdir(bin);
  await chmod(RALPH, 0o755);
  await symlink(RALPH, join(bin, 'ralph'));
});
afterEach(() => project.remove());

async function findings(...args: readonly string[]): Promise<readonly Finding[]> {
  const { stdout } = await project.ralph(['doctor', '--agent', 'scripted', '--json', ...args]);
  return JSON.parse(stdout).findings;
}

async function finding(name: string): Promise<Finding | undefined> {
  return (await findings()).find((one) => one.name === name);
}

/** Types a line in the project, as a person would. */
async function type(line: string): Promise<void> {
  const { exitCode, stdout, stderr } = await runCommand('sh', ['-c', line], {
    cwd: project.root,
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: project.outside,
      GIT_CONFIG_NOSYSTEM: '1',
      RALPH_ISOLATION_BACKEND: 'none',
    },
    timeoutMs: 300_000,
  });
  expect(`${exitCode}: ${stdout}${stderr}`).toMatch(/^0:/);
}

it('finds nothing to fix where a run can start', async () => {
  const { code, stdout } = await project.ralph(['doctor', '--agent', 'scripted'], {
    RALPH_SCRIPTED_SCENARIO: project.scenario,
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/✓ changes +no uncommitted changes\n/);
  expect(stdout).toMatch(/✓ checks +true\n/);
  expect(stdout).toMatch(/\na run can start\n$/);
});

/** How it is broken, what finds it, in which state, and the fix that is typed as it stands. */
const BROKEN: readonly (readonly [what: string, breaking: string, name: string, state: string, fix: RegExp])[] = [
  ['changes that are not committed', 'echo x >> README.md', 'changes', 'failed', /^git stash$/],
  [
    'a merge under way',
    'git checkout -q -b other && echo a > README.md && git commit -qam a && git checkout -q main && echo b > README.md && git commit -qam b && ! git merge -q other',
    'git state',
    'failed',
    /^git merge --abort$/,
  ],
  ['a repository without a commit', 'rm -rf .git && git init -q', 'git', 'failed', /^git add -A && git commit/],
  [
    'an unknown setting',
    `echo '{ "maxIteration": 3 }' > ralph.config.json`,
    'config',
    'failed',
    /^ralph config set .* --unset$/,
  ],
  ['a bad value', `echo '{ "checks": { "timeout": "soon" } }' > ralph.config.json`, 'config', 'failed', /--unset$/],
  [
    'a setting with a hostile name',
    `echo '{ "$(touch owned)": 3 }' > ralph.config.json`,
    'config',
    'failed',
    /--unset$/,
  ],
  [
    'a cap that is too low',
    `echo '{ "maxIterations": 300 }' > ralph.config.json`,
    'config',
    'warning',
    /^ralph config set maxAllowed/,
  ],
  ['no stories', 'rm -r ralph && ralph init --name x', 'backlog', 'failed', /^ralph stories add/],
  ['no spec folder', 'git rm -qr ralph && git commit -qm gone', 'spec folder', 'failed', /^ralph init$/],
  [
    'no checks',
    'sed -i.bak "s/\\"true\\"//" ralph/tasks.json && rm ralph/*.bak',
    'checks',
    'warning',
    /^ralph config set verifyCommands/,
  ],
  [
    'a check that cannot be started',
    'echo "exit 0" > check.sh && sed -i.bak "s/\\"true\\"/\\".\\/check.sh\\"/" ralph/tasks.json && rm ralph/*.bak',
    'checks',
    'warning',
    /^chmod \+x/,
  ],
  [
    'nobody that git knows',
    'git config --unset user.name; git config --unset user.email',
    'identity',
    'warning',
    /user\.email/,
  ],
  [
    'no branch at all',
    `git checkout -q --detach && echo '{ "branch": false }' > ralph.config.json`,
    'branch',
    'warning',
    /^git switch -c/,
  ],
];

describe('what it names as a fix does fix', () => {
  it.each(BROKEN)('%s', async (_what, breaking, name, state, fix) => {
    await type('git config --global user.name Una && git config --global user.email una@example.org');
    if (name === 'identity') await type('rm ~/.gitconfig');
    await type(breaking);
    const found = await finding(name);
    expect(found).toMatchObject({ name, state });
    const way = found?.fix.find((one) => fix.test(one));
    expect(way, found?.fix.join('\n')).toBeDefined();
    await type(way ?? 'false');
    expect((await finding(name))?.state ?? 'ok').toBe('ok');
    expect(await project.git('status', '--porcelain', '--ignored')).not.toContain('owned');
  });
});

it('works without a repository, with a broken configuration and a broken backlog, and writes nothing', async () => {
  await project.write('ralph.config.json', '{ "a": ');
  await project.write('ralph/tasks.json', '[[[');
  const before = await project.git('status', '--porcelain', '--ignored');
  const broken = await findings();
  expect(broken.filter(({ state }) => state === 'failed').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['backlog', 'config']),
  );
  expect(await project.git('status', '--porcelain', '--ignored')).toBe(before);
  const nowhere = await project.ralph(['doctor', '--agent', 'scripted', '-d', project.outside, '--json']);
  expect(nowhere.code).toBe(2);
  expect(JSON.parse(nowhere.stdout).findings[1]).toMatchObject({ name: 'git', state: 'failed' });
});

it('--checks tells what passes outside and fails with what a run has', async () => {
  await project.write('ralph.config.json', '{ "verifyCommands": ["test -n \\"$SECRET_PLACE\\""] }');
  const { stdout } = await project.ralph(['doctor', '--agent', 'scripted', '--checks', '--json'], {
    SECRET_PLACE: 'x',
  });
  const checks = JSON.parse(stdout).findings.filter(({ name }: Finding) => name === 'check');
  expect(checks.map(({ state, detail }: Finding) => `${state}: ${detail}`)).toEqual([
    'warning: `test -n "$SECRET_PLACE"` passes outside and fails with the environment of a run: exit 1',
    'ok: `true` passes outside, with the environment of a run and in the clean room',
  ]);
  await type('ralph config set env.pass SECRET_PLACE');
  const fixed = await project.ralph(['doctor', '--agent', 'scripted', '--checks', '--json'], { SECRET_PLACE: 'x' });
  expect(fixed.stdout).not.toContain('passes outside and fails');
});
