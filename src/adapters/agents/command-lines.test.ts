import { describe, expect, it } from 'vitest';
import { testAgents, testConfig, testTask } from '../../../test/support/agent-task.ts';
import { copilot } from './copilot/adapter.ts';
import { droid } from './droid/adapter.ts';
import { gemini } from './gemini/adapter.ts';

const program = { command: ['/opt/agent', 'first'], args: ['--extra', 'one'] };
const withEffort = { ...program, effort: 'high' };
const config = testConfig({ agents: testAgents({ gemini: program, copilot: withEffort, droid: withEffort }) });
const task = (model: string | null) => testTask({ cwd: '/project', tempDir: '/tmp/t', config, model });

describe.each([
  {
    adapter: gemini,
    effort: [],
    args: [
      ...['--output-format', 'stream-json', '--approval-mode', 'yolo', '--skip-trust'],
      ...['--extensions', 'none', '--allowed-mcp-server-names', 'none'],
    ],
  },
  {
    adapter: copilot,
    effort: ['--effort', 'high'],
    args: [
      ...['--output-format', 'json', '--no-color', '--allow-all-tools', '--no-ask-user'],
      ...['--disable-builtin-mcps', '--no-remote-export', '--no-auto-update'],
    ],
  },
  {
    adapter: droid,
    effort: ['--reasoning-effort', 'high'],
    args: ['exec', '--output-format', 'stream-json', '--auto', 'high'],
  },
])('the command line of $adapter.name', ({ adapter, effort, args }) => {
  it('asks for JSON lines and for no approvals, and ends with what the user added', async () => {
    const command = await adapter.command(task(null));
    expect(command).toMatchObject({ file: '/opt/agent', cwd: '/project', stdin: 'Implement US-001.' });
    expect(command.args).toEqual(['first', ...args, ...effort, '--extra', 'one']);
  });

  it('names a model only when one was chosen', async () => {
    const command = await adapter.command(task('large'));
    expect(command.args).toEqual(['first', ...args, '--model', 'large', ...effort, '--extra', 'one']);
  });

  it('gives the tools of the run, where it can, without their token', async () => {
    const control = { url: 'http://127.0.0.1:4242', token: 'secret-token' };
    const { args } = await adapter.command({ ...task(null), control });
    expect(args.join(' ').includes('http://127.0.0.1:4242/mcp')).toBe(adapter.capabilities.tools);
    expect(args.join(' ')).not.toContain('secret-token');
  });

  it('says how to get the program when it is not there', async () => {
    const missing = testConfig({ agents: testAgents({ [adapter.name]: { command: '/no/such/program' } }) });
    const found = await adapter.detect(missing);
    expect(found).toMatchObject({ ok: false, version: null });
    expect(found.fix).toContain('npm install -g');
    expect(found.fix).toContain(`agents.${adapter.name}.command`);
  });
});
