import { describe, expect, test } from 'vitest';
import type { System } from '../../adapters/isolation/index.ts';
import { configSchema, toConfig } from '../../contracts/config.ts';
import { chmod, list, makeDir, makeLink, makeTempDir, remove, writeAtomic } from '../../platform/index.ts';
import { examineLogin } from './agents.ts';
import { startOf } from './check-start.ts';
import { comparedFinding } from './compared.ts';
import { installLine, knownInstallLine, nodeLine } from './finding.ts';
import { disk, node } from './machine.ts';
import { checkFault } from './project.ts';

type Compared = Parameters<typeof comparedFinding>[0];
type Outside = Parameters<typeof comparedFinding>[1];

const linux: System = {
  platform: 'linux',
  distributions: ['ubuntu', 'debian'],
  root: false,
  wsl: null,
  container: null,
};

describe('what is missing is installed with what the system has', () => {
  test.each([
    [linux, 'sudo apt-get install git'],
    [{ ...linux, root: true }, 'apt-get install git'],
    [{ ...linux, distributions: ['opensuse-leap', 'suse'] }, 'sudo zypper install git'],
    [{ ...linux, distributions: ['nixos'] }, "install git with your system's package manager"],
    [{ ...linux, platform: 'darwin' as const }, 'brew install git'],
  ])('%j', (system, line) => expect(installLine('git', system)).toBe(line));
});

test('an old Node is named, with the command of the version manager that is there', () => {
  expect(node({}, linux, '20.19.0').state).toBe('ok');
  expect(node({ NVM_DIR: '/home/una/.nvm' }, linux, '18.20.1')).toMatchObject({
    state: 'failed',
    fix: ['nvm install 22'],
  });
  expect(nodeLine({}, linux)).toContain('https://nodejs.org');
});

test('packages are named as each system names them, and none is invented', () => {
  expect(knownInstallLine('mvn', linux)).toBe('sudo apt-get install maven');
  expect(knownInstallLine('ninja', { ...linux, distributions: ['arch'] })).toBe('sudo pacman -S ninja');
  expect(knownInstallLine('pnpm', linux)).toBe('npm install -g pnpm');
  expect(knownInstallLine('nosuchprog', linux)).toBeNull();
  expect(knownInstallLine('constructor', linux)).toBeNull();
});

test.each([
  ['npm test', 'npm', '.', 'test'],
  ['./gradlew check', './gradlew', '.', null],
  ['make -j2 check', 'make', '.', null],
  ['pytest;true', 'pytest', '.', null],
  ['cd app && npm test', 'npm', 'app', 'test'],
  ['cd app && cd web; pnpm run lint', 'pnpm', 'app/web', 'lint'],
  ["CI=1 NAME='a b' npm run lint -- --quiet", 'npm', '.', 'lint'],
  ['env CI=1 yarn run lint', 'yarn', '.', 'lint'],
  ['npm test --workspaces --if-present', 'npm', '.', null],
  ['npm run lint -w app', 'npm', '.', null],
])('%j starts %s in %s with the script %s', (command, program, folder, script) =>
  expect(startOf(command)).toEqual({ program, folder, script }),
);

test.each(['"my tool" x', 'test -f x', 'PATH=./bin:$PATH tool', 'cd "$HOME" && make', '$TOOL x'])(
  'of %j only the shell can tell',
  (command) => expect(startOf(command)).toBeNull(),
);

describe('a check that cannot start', () => {
  test.each([
    ['./check.sh', 'there is no ./check.sh', 'remove or correct the check: ralph/tasks.json:3'],
    ['./there.sh', './there.sh may not be executed', 'chmod +x ./there.sh'],
    ['cd nodir && make', 'there is no folder nodir', 'remove or correct the check'],
    ['FOO=1 nosuchprog', 'there is no nosuchprog', 'install nosuchprog, or remove or correct the check'],
    ['npm run lnt', 'package.json has no script lnt; did you mean lint?', 'remove or correct the check'],
  ])('%s: %s', async (command, says, fix) => {
    const root = await makeTempDir('ralph-checks-');
    try {
      await writeAtomic(`${root}/there.sh`, 'exit 0\n', { mode: 0o644 });
      await writeAtomic(`${root}/package.json`, '\uFEFF{"scripts":{"lint":"x"}}');
      const place = { root, env: process.env, system: linux, where: 'ralph/tasks.json:3' };
      const fault = await checkFault(command, place);
      expect(fault?.says).toContain(says);
      expect(fault?.fix.join()).toContain(fix);
      expect(await checkFault('npm run lint', place)).toBeNull();
    } finally {
      await remove(root);
    }
  });
});

test('the disk a file, a link that leads nowhere, and missing permissions each have their own fix; nothing is made', async () => {
  const root = await makeTempDir('ralph-disk-');
  try {
    await writeAtomic(`${root}/file`, '');
    await makeLink('nowhere', `${root}/link`);
    await makeDir(`${root}/closed`);
    const fixOf = async (name: string) => (await disk([`${root}/${name}`], root)).fix;
    expect(await fixOf('file')).toEqual([`mv ${root}/file ${root}/file.aside`]);
    expect(await fixOf('link')).toEqual([`rm ${root}/link`]);
    expect((await disk([`${root}/new/deep`], root)).state).not.toBe('failed');
    expect(await list(root)).toEqual(['closed', 'file', 'link']);
    expect(await disk([root], `${root}/file/ralph`)).toMatchObject({
      ...{ state: 'failed', detail: `cannot write ${root}/file/ralph` },
      fix: ['set XDG_STATE_HOME to a folder you may write'],
    });
    if (process.getuid?.() === 0) return;
    await chmod(`${root}/closed`, 0o555);
    expect(await fixOf('closed')).toEqual([`chmod u+rwx ${root}/closed`]);
    await chmod(`${root}/closed`, 0o755);
  } finally {
    await remove(root);
  }
});

describe('a login', () => {
  const config = toConfig(configSchema.parse({}));

  test('is seen by the name of a variable or of a file, where the agent would see it', async () => {
    const home = await makeTempDir('ralph-login-');
    try {
      const at = (env: Record<string, string>) => examineLogin('claude', { env, config, home, isolation: 'bwrap' });
      expect(await at({})).toMatchObject({
        state: 'warning',
        fix: ['ralph sandbox shell -- claude', expect.any(String)],
      });
      const withKey = await at({ ANTHROPIC_API_KEY: 'very secret' });
      expect(withKey).toMatchObject({
        state: 'ok',
        detail: 'ANTHROPIC_API_KEY (added outside; the agent cannot read it)',
      });
      expect(await at({ CLAUDE_CODE_USE_BEDROCK: '1' })).toMatchObject({ detail: 'CLAUDE_CODE_USE_BEDROCK' });
      expect(JSON.stringify(withKey)).not.toContain('very secret');
      await writeAtomic(`${home}/.claude/.credentials.json`, '{}');
      expect(await at({})).toMatchObject({ state: 'ok', detail: `${home}/.claude/.credentials.json` });
    } finally {
      await remove(home);
    }
  });

  test('of an agent that keeps it elsewhere is not judged', async () => {
    const at = { config, home: '/home/una' };
    expect(await examineLogin('opencode', { ...at, env: {}, isolation: 'none' })).toBeNull();
    const env = { OPENAI_API_KEY: 'x', GROQ_API_KEY: 'x' };
    expect(await examineLogin('opencode', { ...at, env, isolation: 'container' })).toMatchObject({
      state: 'ok',
      detail:
        'OPENAI_API_KEY (added outside; the agent cannot read it), GROQ_API_KEY (goes inside: the agent can read it)',
    });
  });
});

describe('a check in both places', () => {
  const passed = { exitCode: 0, output: '' };
  const compared = (fields: Partial<Compared>): Compared => ({
    ...{ command: 'npm test', outside: passed, inside: passed, room: null, where: 'bwrap', refused: [] },
    ...fields,
  });

  test('that needs something the clean room does not have says what may be missing', () => {
    const room = { exitCode: 1, output: 'Error: ENOENT .env.test' };
    expect(comparedFinding(compared({ room }), place())).toMatchObject({
      state: 'warning',
      detail: '`npm test` passes outside and inside bwrap, and fails in the clean room: exit 1',
      more: ['Error: ENOENT .env.test'],
      fix: [expect.stringContaining('checks.setup'), expect.stringContaining('checks.copy')],
    });
    expect(comparedFinding(compared({ room: passed }), place()).detail).toContain('and in the clean room');
  });

  const place = (fields: Partial<Outside> = {}): Outside => ({
    env: {},
    withheld: [],
    settings: { env: { pass: [] }, isolation: { read: [], allowHosts: [] } },
    isThere: () => false,
    fault: null,
    ...fields,
  });

  test('a program that is only outside has to be readable inside', () => {
    const inside = { exitCode: 127, output: 'sh: 1: node: not found' };
    const { state, detail, more, fix } = comparedFinding(
      compared({ inside }),
      place({ env: { PATH: process.execPath.replace(/\/[^/]+$/, '') } }),
    );
    expect({ state, detail, more }).toEqual({
      state: 'warning',
      detail: '`npm test` passes outside and fails inside bwrap: exit 127',
      more: ['sh: 1: node: not found'],
    });
    expect(fix[0]).toMatch(/^ralph config set isolation\.read '\["\//);
  });

  test('a host that was refused has to be allowed', () => {
    const inside = { exitCode: 1, output: 'getaddrinfo failed' };
    expect(comparedFinding(compared({ inside, refused: ['db.example.org'] }), place()).fix[0]).toBe(
      `ralph config set isolation.allowHosts '["db.example.org"]'`,
    );
  });

  test('what fails outside, too, is no matter of the isolation', () => {
    const failed = { exitCode: 1, output: '1 failed' };
    const { detail, fix } = comparedFinding(compared({ inside: failed, outside: failed }), place());
    expect(detail).toBe('`npm test` fails outside and inside bwrap: exit 1');
    expect(fix).not.toContain('npm test');
  });

  test('a variable and a file that its output names are let through, beside what is already', () => {
    const inside = {
      exitCode: 1,
      output: "KeyError: 'DATABASE_URL'\ncannot open /opt/data/x.db: No such file or directory",
    };
    const { fix } = comparedFinding(
      compared({ inside }),
      place({
        withheld: ['DATABASE', 'DATABASE_URL'],
        settings: { env: { pass: ['CI'] }, isolation: { read: [], allowHosts: [] } },
        isThere: (path) => path === '/opt/data/x.db',
      }),
    );
    expect(fix.slice(0, 2)).toEqual([
      `ralph config set env.pass '["CI","DATABASE_URL"]'`,
      `ralph config set isolation.read '["/opt/data/x.db"]'`,
    ]);
  });
});
