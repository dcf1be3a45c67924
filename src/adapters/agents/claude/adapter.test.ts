import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { testAgents, testConfig, testTask } from '../../../../test/support/agent-task.ts';
import { describeError } from '../../../contracts/index.ts';
import { leaveOutWorkTree } from '../../../platform/index.ts';
import type { IsolationName } from '../../isolation/index.ts';
import { agentEnvironment } from '../environment.ts';
import type { AgentControl, AgentTask } from '../port.ts';
import { claude } from './adapter.ts';
import { bashSandboxSettings, hookSettings, toolServers } from './settings.ts';

const claudeCommand = (task: AgentTask) => claude.command(task);

const ordinaryUser = () => vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(1000);
const root = () => vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(0);
afterEach(() => vi.restoreAllMocks());

function task(claude: Partial<AgentTask['config']['agents']['claude']> = {}, rest: Partial<AgentTask> = {}): AgentTask {
  const config = testConfig({ agents: testAgents({ claude }) });
  return testTask({ cwd: '/project', tempDir: '/tmp/t', config, ...rest });
}

describe('the command', () => {
  it('runs in print mode with settings of its own, the prompt on standard input', async () => {
    ordinaryUser();
    const command = await claudeCommand(task({}, { model: 'some-model', prompt: '-p is no flag here' }));
    expect(command).toMatchObject({ file: 'claude', cwd: '/project', stdin: '-p is no flag here' });
    expect(command.args).toEqual([
      ...['-p', '--output-format', 'stream-json', '--verbose', '--setting-sources', '', '--strict-mcp-config'],
      ...['--permission-mode', 'bypassPermissions', '--model', 'some-model', '--add-dir', '/project'],
    ]);
    expect(command.env).toMatchObject({
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
      CLAUDE_CODE_MAX_RETRIES: '4',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      CLAUDE_CODE_TMPDIR: '/tmp/t',
    });
    expect(command.env).not.toHaveProperty('CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC');
  });

  it('passes the allow-list on, rules with spaces whole', async () => {
    const { args } = await claudeCommand(task({ allowedTools: ['Bash(npm test:*)', 'Write'] }));
    expect(args.join('|')).toContain(
      '--permission-mode|acceptEdits|--allowedTools|Bash(npm test:*)|Write|--add-dir|/project',
    );
  });

  it('starts what the settings name, with their arguments before and after its own, and passes effort on', async () => {
    ordinaryUser();
    const { file, args } = await claudeCommand(
      task({ command: ['nice', 'claude'], args: ['--betas', 'x'], effort: 'high' }, { model: 'some-model' }),
    );
    expect([file, ...args.slice(0, 2)]).toEqual(['nice', 'claude', '-p']);
    expect(args.join(' ')).toContain(' --model some-model --effort high --betas x --add-dir /project');
  });

  it('does not let the agent take itself for a part of the session that ralph was started in', async () => {
    ordinaryUser();
    const { env } = await claudeCommand(
      task({}, { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'x', CLAUDE_CONFIG_DIR: '/c' } }),
    );
    expect(env).not.toHaveProperty('CLAUDECODE');
    expect(env).not.toHaveProperty('CLAUDE_CODE_SESSION_ID');
    expect(env).toHaveProperty('CLAUDE_CONFIG_DIR', '/c');
  });

  it('refuses bypass as root and names the ways out', async () => {
    root();
    const error: unknown = await claudeCommand(task()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ exitCode: 7 });
    const text = describeError(error);
    expect(text).toContain('Claude Code does not run as root with permissions bypassed');
    expect(text).toContain('agents.claude.allowedTools');
    expect(text).toContain('IS_SANDBOX=1');
  });

  it('runs as root where the user said that this is a sandbox, or allowed only some tools', async () => {
    root();
    await claudeCommand(task({}, { env: { IS_SANDBOX: '1' } }));
    await claudeCommand(task({ allowedTools: [] }));
    await expect(claudeCommand(task({}, { env: { IS_SANDBOX: '0' } }))).rejects.toThrow();
  });
});

describe('its detection', () => {
  beforeEach(() => {
    vi.stubEnv('IS_SANDBOX', undefined);
    vi.stubEnv('CLAUDE_CODE_BUBBLEWRAP', undefined);
  });
  afterEach(() => vi.unstubAllEnvs());
  const detect = (command: string) => claude.detect(task({ command }).config);

  it('says how to get a client that is not there', async () => {
    expect(await detect('no-such-claude')).toMatchObject({
      ok: false,
      version: null,
      detail: expect.stringContaining('no-such-claude was not found'),
      fix: expect.stringContaining('npm install'),
    });
  });

  it('does not take any program for the client', async () => {
    expect(await detect('false')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('false --version failed (exit 1)'),
    });
  });

  it('reads the version, and says that root needs another way', async () => {
    // Node answers --version much as the client does.
    ordinaryUser();
    expect(await detect(process.execPath)).toMatchObject({ ok: true, version: process.version.slice(1) });
    root();
    expect(await detect(process.execPath)).toMatchObject({
      ok: false,
      version: process.version.slice(1),
      fix: expect.stringContaining('agents.claude.allowedTools'),
    });
    expect(await claude.detect(task({ command: process.execPath }).config, 'bwrap')).toMatchObject({
      ok: true,
    });
    vi.stubEnv('IS_SANDBOX', '1');
    expect(await detect(process.execPath)).toMatchObject({ ok: true });
  });

  it('starts nothing outside of an isolation that may lie in the work tree', async () => {
    ordinaryUser();
    leaveOutWorkTree({}, process.cwd());
    const version = async (command: string | string[]) =>
      (await claude.detect(task({ command }).config, 'bwrap')).version;
    expect(await version(process.execPath)).toBe(process.version.slice(1));
    expect(await version(['env', process.execPath])).toBeNull();
    expect(await version('./node_modules/.bin/tsc')).toBeNull();
  });

  it('takes the word of the settings that this is a sandbox, and starts what they name', async () => {
    root();
    const { config } = task({ command: ['env', process.execPath], env: { IS_SANDBOX: '1' } });
    expect(await claude.detect(config)).toMatchObject({ ok: true, version: process.version.slice(1) });
  });
});

function settings(bashSandbox: boolean, isolation: IsolationName = 'none', hosts: readonly string[] = []) {
  const defaults = testConfig();
  const config = testConfig({
    agents: testAgents({ claude: { bashSandbox } }),
    isolation: { ...defaults.isolation, allowHosts: hosts, registries: hosts.length === 0 },
  });
  return bashSandboxSettings(testTask({ cwd: '/project', tempDir: '/tmp/t', config, isolation }));
}

describe("the client's own sandbox", () => {
  it('is used only where the person asked for it, and nothing else isolates', () => {
    expect(settings(true)).not.toBeNull();
    for (const off of [settings(false), settings(true, 'bwrap')]) expect(off).toBeNull();
  });

  it('is strict: no start without it, no way around it', () => {
    expect(settings(true)).toMatchObject({
      sandbox: { enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false },
    });
  });

  it('reaches the package registries and the hosts that the configuration names', () => {
    const domains = (from: object | null) =>
      (from as { sandbox: { network: { allowedDomains: string[] } } }).sandbox.network.allowedDomains;
    expect(domains(settings(true))).toContain('registry.npmjs.org');
    expect(domains(settings(true, 'none', ['api.example.com']))).toEqual(['api.example.com']);
  });
});

describe('bypass as root', () => {
  it('is refused without an isolation, and says that one would do', async () => {
    root();
    const error: unknown = await claudeCommand(task()).catch((thrown: unknown) => thrown);
    expect(describeError(error)).toContain('ralph sandbox status');
  });

  it.each(['sbx', 'container', 'bwrap', 'srt'] as const)(
    'is no question in %s, which the client is told of',
    async (name) => {
      root();
      expect((await claudeCommand(task({}, { isolation: name }))).env).toMatchObject({ IS_SANDBOX: '1' });
    },
  );

  it('is never called a sandbox by us where nothing isolates', async () => {
    ordinaryUser();
    expect((await claudeCommand(task())).env).not.toHaveProperty('IS_SANDBOX');
  });
});

const AT_ADDRESS: AgentControl = { url: 'http://127.0.0.1:41234', token: 't0ken' };
const IN_SPOOL: AgentControl = { ...AT_ADDRESS, spool: "/projects/una's app/.ralph/state/inside/1" };

interface Hook {
  readonly type: string;
  readonly url?: string;
  readonly command?: string;
  readonly onFailure?: string;
}
interface Settings {
  readonly hooks: Readonly<Record<string, readonly { readonly matcher?: string; readonly hooks: readonly Hook[] }[]>>;
}

const hooksOf = (control: AgentControl) =>
  Object.values((hookSettings(control) as unknown as Settings).hooks).flatMap((entries) =>
    entries.flatMap(({ hooks }) => hooks),
  );

describe('hooks', () => {
  test('go to the server of the run, with a token that stands in no settings', () => {
    expect(hooksOf(AT_ADDRESS).every(({ type, url }) => type === 'http' && url === `${AT_ADDRESS.url}/hooks`)).toBe(
      true,
    );
    expect(JSON.stringify(hookSettings(AT_ADDRESS))).not.toContain('t0ken');
  });

  test('go to the command hook in the spool where the server cannot be reached, for the same events', () => {
    const events = (control: AgentControl) =>
      Object.entries((hookSettings(control) as unknown as Settings).hooks).map(([event, entries]) => [
        event,
        entries.map(({ matcher }) => matcher),
      ]);
    expect(events(IN_SPOOL)).toEqual(events(AT_ADDRESS));
    for (const { type, command } of hooksOf(IN_SPOOL)) {
      expect(type).toBe('command');
      expect(command).toBe(
        String.raw`: >'/projects/una'\''s app/.ralph/state/inside/1/hooked'; exec node '/projects/una'\''s app/.ralph/state/inside/1/hook.cjs'`,
      );
    }
  });

  test.each([AT_ADDRESS, IN_SPOOL])('the guard alone blocks when it cannot answer', (control) => {
    const { PreToolUse = [] } = (hookSettings(control) as unknown as Settings).hooks;
    expect(PreToolUse.map(({ matcher, hooks }) => [matcher, hooks[0]?.onFailure])).toEqual([
      ['Bash', 'block'],
      [expect.stringContaining('Write'), undefined],
    ]);
    expect(hooksOf(control).filter(({ onFailure }) => onFailure)).toHaveLength(1);
  });
});

test('tools are served by a program in the spool where the server cannot be reached', () => {
  const { ralph } = JSON.parse(toolServers(IN_SPOOL)).mcpServers;
  expect(ralph).toEqual({
    type: 'stdio',
    command: 'node',
    args: [`${IN_SPOOL.spool}/program/main.cjs`, 'mcp'],
    env: { RALPH_SPOOL: IN_SPOOL.spool },
    alwaysLoad: true,
  });
});

test('an agent with a spool does not know the server: its command hook would leave the decision to that', async () => {
  const commandWith = (control: AgentControl) => {
    const task = testTask({ cwd: '/project', tempDir: '/tmp/t', control, isolation: 'sbx' });
    return claudeCommand({ ...task, env: agentEnvironment(task.env, task) });
  };
  expect((await commandWith(AT_ADDRESS)).env).toMatchObject({ RALPH_CONTROL_URL: AT_ADDRESS.url });
  const { args, env } = await commandWith(IN_SPOOL);
  expect(Object.keys(env).filter((name) => name.startsWith('RALPH_CONTROL'))).toEqual([]);
  expect(env).toHaveProperty('RALPH_RUN_ID');
  expect(args.join(' ')).not.toContain('41234');
});

test("hooks and the client's own sandbox are one settings argument", async () => {
  const config = testConfig({ agents: testAgents({ claude: { allowedTools: [], bashSandbox: true } }) });
  const settingsOf = async (control: AgentControl | null) => {
    const { args } = await claudeCommand(testTask({ cwd: '/project', tempDir: '/tmp/t', config, control }));
    expect(args.filter((arg) => arg === '--settings')).toHaveLength(1);
    return Object.keys(JSON.parse(args[args.indexOf('--settings') + 1] ?? ''));
  };
  expect(await settingsOf(AT_ADDRESS)).toEqual(['hooks', 'sandbox']);
  expect(await settingsOf(null)).toEqual(['sandbox']);
});
