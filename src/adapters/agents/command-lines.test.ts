import { describe, expect, it } from 'vitest';
import { testAgents, testConfig, testTask } from '../../../test/support/agent-task.ts';
import { amp } from './amp/adapter.ts';
import { copilot } from './copilot/adapter.ts';
import { cursor } from './cursor/adapter.ts';
import { droid } from './droid/adapter.ts';
import { gemini } from './gemini/adapter.ts';
import { kimi } from './kimi/adapter.ts';
import { kiro } from './kiro/adapter.ts';
import { qwen } from './qwen/adapter.ts';

const program = { command: ['/opt/agent', 'first'], args: ['--extra', 'one'] };
const withEffort = { ...program, effort: 'high' };
const config = testConfig({
  agents: testAgents({
    ...{ gemini: program, copilot: withEffort, droid: withEffort, kimi: withEffort },
    ...{ cursor: program, amp: program, qwen: program, kiro: program },
  }),
});
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
  { adapter: cursor, effort: [], args: ['--print', '--output-format', 'stream-json', '--force', '--trust'] },
  {
    adapter: amp,
    effort: [],
    args: ['--execute', '--stream-json', '--no-ide', '--no-notifications', '--no-color'],
    model: '--mode',
  },
  {
    adapter: qwen,
    effort: [],
    args: [
      ...['--output-format', 'stream-json', '--approval-mode', 'yolo'],
      ...['--extensions', 'none', '--allowed-mcp-server-names', 'none'],
    ],
  },
  { adapter: kimi, effort: [], args: ['--output-format', 'stream-json'], prompt: '--prompt' },
  { adapter: kiro, effort: [], args: ['chat', '--no-interactive', '--trust-all-tools', '--wrap', 'never'] },
])('the command line of $adapter.name', ({ adapter, effort, args, model = '--model', prompt }) => {
  const PROMPT = 'Implement US-001.';
  const end = ['--extra', 'one', ...(prompt ? [prompt, PROMPT] : [])];

  it('asks for JSON lines and for no approvals, and ends with what the user added', async () => {
    const command = await adapter.command(task(null));
    expect(command).toMatchObject({ file: '/opt/agent', cwd: '/project', stdin: prompt ? '' : PROMPT });
    expect(command.args).toEqual(['first', ...args, ...effort, ...end]);
  });

  it('names a model only when one was chosen', async () => {
    const command = await adapter.command(task('large'));
    expect(command.args).toEqual(['first', ...args, model, 'large', ...effort, ...end]);
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
    expect(found.fix).toMatch(/^(npm install -g \S+|curl -?.* \| bash), then run `/);
    expect(found.fix).toContain(`agents.${adapter.name}.command`);
  });
});
