import { describe, expect, it } from 'vitest';
import { testConfig, testTask } from '../../../../test/support/agent-task.ts';
import { codexCommand } from './adapter.ts';

const task = (rest: Parameters<typeof testTask>[0] | object = {}) =>
  testTask({ cwd: '/project', tempDir: '/tmp/t', config: testConfig({ timeoutMs: 90_500 }), ...rest });

describe('codexCommand', () => {
  it('runs without the settings of the host, the prompt on standard input', () => {
    const { file, args, stdin } = codexCommand(task({ prompt: '--json is no flag here' }));
    expect(file).toBe('codex');
    expect(args).toEqual([
      ...['exec', '--json', '--color', 'never', '--ignore-user-config', '--ignore-rules', '--ephemeral'],
      ...['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-'],
    ]);
    expect(stdin).toBe('--json is no flag here');
  });

  it('takes a model and further arguments, and still reads the prompt from standard input', () => {
    const config = testConfig({ codex: { command: 'codex', args: ['-c', 'model_provider="mine"'], model: null } });
    const { args } = codexCommand(task({ model: 'some-model', config }));
    expect(args.slice(-5)).toEqual(['--model', 'some-model', '-c', 'model_provider="mine"', '-']);
  });

  it("names the run's tools without their token", () => {
    const { args } = codexCommand(task({ control: { url: 'http://127.0.0.1:4', token: 'secret' } }));
    expect(args).toContain(
      'mcp_servers.ralph={url="http://127.0.0.1:4/mcp",bearer_token_env_var="RALPH_CONTROL_TOKEN",tool_timeout_sec=91}',
    );
    expect(args.join(' ')).not.toContain('secret');
  });
});
