import { describe, expect, test } from 'vitest';
import { testConfig, testTask } from '../../../../test/support/agent-task.ts';
import { agentEnvironment } from '../environment.ts';
import type { AgentControl } from '../port.ts';
import { claudeCommand } from './command.ts';
import { hookSettings, toolServers } from './inside.ts';

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
    args: [`${IN_SPOOL.spool}/program/main.js`, 'mcp'],
    env: { RALPH_SPOOL: IN_SPOOL.spool },
    alwaysLoad: true,
  });
});

test('an agent with a spool does not know the server: its command hook would leave the decision to that', () => {
  const commandWith = (control: AgentControl) => {
    const task = testTask({ cwd: '/project', tempDir: '/tmp/t', control, isolation: 'sbx' });
    return claudeCommand({ ...task, env: agentEnvironment(task.env, task) });
  };
  expect(commandWith(AT_ADDRESS).env).toMatchObject({ RALPH_CONTROL_URL: AT_ADDRESS.url });
  const { args, env } = commandWith(IN_SPOOL);
  expect(Object.keys(env).filter((name) => name.startsWith('RALPH_CONTROL'))).toEqual([]);
  expect(env).toHaveProperty('RALPH_RUN_ID');
  expect(args.join(' ')).not.toContain('41234');
});

test("hooks and the client's own sandbox are one settings argument", () => {
  const { claude, ...rest } = testConfig();
  const config = { ...rest, claude: { ...claude, permissionMode: 'acceptEdits' as const, bashSandbox: true } };
  const settingsOf = (control: AgentControl | null) => {
    const { args } = claudeCommand(testTask({ cwd: '/project', tempDir: '/tmp/t', config, control }));
    expect(args.filter((arg) => arg === '--settings')).toHaveLength(1);
    return Object.keys(JSON.parse(args[args.indexOf('--settings') + 1] ?? ''));
  };
  expect(settingsOf(AT_ADDRESS)).toEqual(['hooks', 'sandbox']);
  expect(settingsOf(null)).toEqual(['sandbox']);
});
