import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testConfig, testTask } from '../../../../test/support/agent-task.ts';
import { makeTempDir } from '../../../platform/index.ts';
import type { AgentTask } from '../port.ts';
import { opencodeCommand } from './adapter.ts';

let tempDir = '';
beforeAll(async () => {
  tempDir = await makeTempDir('ralph-opencode-');
});
afterAll(() => rm(tempDir, { recursive: true }));

const task = (rest: Partial<AgentTask> = {}) =>
  testTask({ cwd: '/project', tempDir, config: testConfig({ timeoutMs: 90_000 }), ...rest });
const settingsOf = (command: { readonly env: Readonly<Record<string, string>> }) =>
  JSON.parse(command.env['OPENCODE_CONFIG_CONTENT'] ?? '');

describe('opencodeCommand', () => {
  it('approves everything, the prompt on standard input', async () => {
    const { file, args, stdin, env } = await opencodeCommand(task({ prompt: '--format is no flag here' }));
    expect(file).toBe('opencode');
    expect(args).toEqual(['run', '--format', 'json', '--auto', '--print-logs', '--log-level', 'ERROR']);
    expect(stdin).toBe('--format is no flag here');
    expect(env).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' });
  });

  it('takes a model and further arguments', async () => {
    const config = testConfig({ opencode: { command: 'opencode', args: ['--variant', 'high'], model: null } });
    const { args } = await opencodeCommand(task({ model: 'some/model', config }));
    expect(args.slice(-4)).toEqual(['--model', 'some/model', '--variant', 'high']);
  });

  it("keeps the project's memory although its settings are left out", async () => {
    const settings = settingsOf(await opencodeCommand(task()));
    expect(settings.instructions).toContain('/project/AGENTS.md');
    expect(settings).not.toHaveProperty('mcp');
  });

  it("names the run's tools without their token", async () => {
    const command = await opencodeCommand(task({ control: { url: 'http://127.0.0.1:4', token: 'secret' } }));
    expect(settingsOf(command).mcp.ralph).toMatchObject({
      type: 'remote',
      url: 'http://127.0.0.1:4/mcp',
      headers: { Authorization: 'Bearer {env:RALPH_CONTROL_TOKEN}' },
      timeout: 90_000,
    });
    expect(JSON.stringify(command)).not.toContain('secret');
  });

  it('hands over a plugin that can be loaded', async () => {
    const [plugin] = settingsOf(await opencodeCommand(task())).plugin;
    expect(await readFile(fileURLToPath(plugin), 'utf8')).toContain('ralph.retry');
    expect(fileURLToPath(plugin)).toBe(join(tempDir, 'ralph-reporter.mjs'));
    const { ralph } = await import(plugin);
    expect(await ralph()).toHaveProperty('event');
  });
});
