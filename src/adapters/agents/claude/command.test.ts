import { afterEach, describe, expect, it, vi } from 'vitest';
import { testConfig, testTask } from '../../../../test/support/agent-task.ts';
import { describeError } from '../../../contracts/errors.ts';
import type { AgentTask } from '../port.ts';
import { claudeCommand } from './command.ts';
import { detectClaude } from './detect.ts';

const ordinaryUser = () => vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(1000);
const root = () => vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(0);
afterEach(() => vi.restoreAllMocks());

function task(claude: Partial<AgentTask['config']['claude']> = {}, rest: Partial<AgentTask> = {}): AgentTask {
  const config = testConfig({
    claude: {
      command: 'claude',
      permissionMode: null,
      allowedTools: [],
      maxRetries: 2,
      model: null,
      bashSandbox: false,
      ...claude,
    },
  });
  return testTask({ cwd: '/project', tempDir: '/tmp/t', config, ...rest });
}

describe('claudeCommand', () => {
  it('runs in print mode with settings of its own, the prompt on standard input', () => {
    ordinaryUser();
    const command = claudeCommand(task({}, { model: 'some-model', prompt: '-p is no flag here' }));
    expect(command).toMatchObject({ file: 'claude', cwd: '/project', stdin: '-p is no flag here' });
    expect(command.args).toEqual([
      ...['-p', '--output-format', 'stream-json', '--verbose', '--setting-sources', '', '--strict-mcp-config'],
      ...['--permission-mode', 'bypassPermissions', '--model', 'some-model', '--add-dir', '/project'],
    ]);
    expect(command.env).toMatchObject({
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      CLAUDE_CODE_TMPDIR: '/tmp/t',
    });
    expect(command.env).not.toHaveProperty('CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC');
  });

  it('passes the allow-list on, rules with spaces whole', () => {
    const { args } = claudeCommand(
      task({ permissionMode: 'acceptEdits', allowedTools: ['Bash(npm test:*)', 'Write'] }),
    );
    expect(args.join('|')).toContain(
      '--permission-mode|acceptEdits|--allowedTools|Bash(npm test:*)|Write|--add-dir|/project',
    );
  });

  it('does not let the agent take itself for a part of the session that ralph was started in', () => {
    ordinaryUser();
    const { env } = claudeCommand(
      task({}, { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'x', CLAUDE_CONFIG_DIR: '/c' } }),
    );
    expect(env).not.toHaveProperty('CLAUDECODE');
    expect(env).not.toHaveProperty('CLAUDE_CODE_SESSION_ID');
    expect(env).toHaveProperty('CLAUDE_CONFIG_DIR', '/c');
  });

  it('refuses bypass as root and names the ways out', () => {
    root();
    let text = '';
    try {
      claudeCommand(task());
    } catch (error) {
      expect(error).toMatchObject({ exitCode: 7 });
      text = describeError(error);
    }
    expect(text).toContain('Claude Code does not run as root with permissions bypassed');
    expect(text).toContain('acceptEdits');
    expect(text).toContain('claude.allowedTools');
    expect(text).toContain('IS_SANDBOX=1');
  });

  it('runs as root where the user said that this is a sandbox, or chose acceptEdits', () => {
    root();
    expect(() => claudeCommand(task({}, { env: { IS_SANDBOX: '1' } }))).not.toThrow();
    expect(() => claudeCommand(task({ permissionMode: 'acceptEdits' }))).not.toThrow();
    expect(() => claudeCommand(task({}, { env: { IS_SANDBOX: '0' } }))).toThrow();
  });
});

describe('detectClaude', () => {
  const detect = (command: string, env: Record<string, string> = {}) => detectClaude(task({ command }).config, env);

  it('says how to get a client that is not there', async () => {
    expect(await detect('no-such-claude')).toMatchObject({
      ok: false,
      version: null,
      detail: expect.stringContaining('no-such-claude was not found'),
      mend: expect.stringContaining('npm install'),
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
      mend: expect.stringContaining('acceptEdits'),
    });
    expect(await detect(process.execPath, { IS_SANDBOX: '1' })).toMatchObject({ ok: true });
  });
});
