import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testAgents, testConfig, testTask } from '../../../../test/support/agent-task.ts';
import { makeTempDir, runCommand } from '../../../platform/index.ts';
import { readStream } from '../conformance.fixture.ts';
import type { AgentTask } from '../port.ts';
import { opencode } from './adapter.ts';

let tempDir = '';
beforeAll(async () => {
  tempDir = await makeTempDir('ralph-opencode-');
});
afterAll(() => rm(tempDir, { recursive: true }));

const task = (rest: Partial<AgentTask> = {}) =>
  testTask({ cwd: '/project', tempDir, config: testConfig({ timeoutMs: 90_000 }), ...rest });
const settingsOf = (command: { readonly env: Readonly<Record<string, string>> }) =>
  JSON.parse(command.env['OPENCODE_CONFIG_CONTENT'] ?? '');

describe('the command', () => {
  it('approves everything, the prompt on standard input', async () => {
    const { file, args, stdin, env } = await opencode.command(task({ prompt: '--format is no flag here' }));
    expect(file).toBe('opencode');
    expect(args).toEqual(['run', '--format', 'json', '--auto', '--print-logs', '--log-level', 'ERROR']);
    expect(stdin).toBe('--format is no flag here');
    expect(env).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' });
  });

  it('takes a model and further arguments', async () => {
    const config = testConfig({ agents: testAgents({ opencode: { args: ['--pure'], effort: 'high' } }) });
    const { args } = await opencode.command(task({ model: 'some/model', config }));
    expect(args.slice(-5)).toEqual(['--model', 'some/model', '--variant', 'high', '--pure']);
  });

  it("keeps the project's memory although its settings are left out", async () => {
    const settings = settingsOf(await opencode.command(task()));
    expect(settings.instructions).toContain('/project/AGENTS.md');
    expect(settings.mcp).toEqual({});
  });

  it("names the run's tools without their token", async () => {
    const command = await opencode.command(task({ control: { url: 'http://127.0.0.1:4', token: 'secret' } }));
    expect(settingsOf(command).mcp.ralph).toMatchObject({
      type: 'remote',
      url: 'http://127.0.0.1:4/mcp',
      headers: { Authorization: 'Bearer {env:RALPH_CONTROL_TOKEN}' },
      timeout: 90_000,
    });
    expect(JSON.stringify(command)).not.toContain('secret');
  });

  it('tells the address of a provider whose key stays outside, where no variable does', async () => {
    const env = { RALPH_OPENROUTER_BASE_URL: 'http://127.0.0.1:5', OPENAI_BASE_URL: 'http://127.0.0.1:5' };
    const { provider } = settingsOf(await opencode.command(task({ env })));
    expect(provider).toEqual({ openrouter: { options: { baseURL: 'http://127.0.0.1:5' } } });
    expect(settingsOf(await opencode.command(task()))).not.toHaveProperty('provider');
  });

  it('hands over a plugin that can be loaded', async () => {
    const [plugin] = settingsOf(await opencode.command(task())).plugin;
    expect(await readFile(fileURLToPath(plugin), 'utf8')).toContain('ralph.retry');
    expect(fileURLToPath(plugin)).toBe(join(tempDir, 'ralph-reporter.mjs'));
    const { ralph } = await import(plugin);
    expect(await ralph()).toHaveProperty('event');
  });
});

/** Plays an event to the plugin in a process of its own, which says `goes on` when it was not ended. */
async function play(event: object): Promise<{ exitCode: number | null; lines: string[] }> {
  await opencode.command(task());
  const host = `
    const { ralph } = await import(process.argv[1]);
    await (await ralph()).event({ event: JSON.parse(process.argv[2]) });
    setTimeout(() => console.log('goes on'), 200);`;
  const args = ['--input-type=module', '-e', host, join(tempDir, 'ralph-reporter.mjs'), JSON.stringify(event)];
  const { exitCode, stdout } = await runCommand(process.execPath, args, { cwd: tempDir });
  return { exitCode, lines: stdout.toString().trim().split('\n') };
}

const retryIn = (ms: number) => ({
  type: 'session.status',
  properties: { sessionID: 'ses_1', status: { type: 'retry', attempt: 2, message: 'busy', next: Date.now() + ms } },
});

describe('the plugin', () => {
  it('tells of a retry and lets the client wait', async () => {
    const { exitCode, lines } = await play(retryIn(10_000));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      type: 'ralph.retry',
      sessionID: 'ses_1',
      attempt: 2,
      message: 'busy',
    });
    expect({ exitCode, last: lines.at(-1) }).toEqual({ exitCode: 0, last: 'goes on' });
  });

  it('ends the client where the provider wants it to wait for long', async () => {
    const { exitCode, lines } = await play(retryIn(600_000));
    expect(JSON.parse(lines[0] ?? '').waitMs).toBeGreaterThan(60_000);
    expect({ exitCode, lines: lines.length }).toEqual({ exitCode: 1, lines: 1 });
  });

  it.each([
    { type: 'session.status', properties: { status: { type: 'busy' } } },
    { type: 'session.idle', properties: {} },
    { type: 'server.connected' },
  ])('is silent about %j', async (event) => {
    expect((await play(event)).lines).toEqual(['goes on']);
  });
});

const AT = Date.parse('2026-01-01T00:00:00Z');
const judged = (data: object, name = 'APIError') => {
  const error = { name, data: { message: 'no', ...data } };
  const { error: found, limit } = readStream(opencode, [{ type: 'error', timestamp: AT, error }], { exitCode: 1 });
  return { error: found, limit };
};

describe('judge of opencode', () => {
  it.each([
    [{ statusCode: 429 }, 'limit'],
    [{ statusCode: 529 }, 'limit'],
    [{ statusCode: 402 }, 'auth'],
    [{ statusCode: 404 }, 'model'],
    [{ statusCode: 503 }, 'network'],
    [{ statusCode: 400 }, 'api'],
    [{ isRetryable: true }, 'network'],
    [{}, 'api'],
  ])('reads the status of a refusal: %j', (data, kind) => {
    expect(judged(data).error?.kind).toBe(kind);
  });

  it('takes a code of the provider for more exact than the status', () => {
    const body = (error: object) => ({ statusCode: 429, responseBody: JSON.stringify({ error }) });
    expect(judged(body({ code: 'insufficient_quota' }))).toMatchObject({ error: { kind: 'auth' }, limit: null });
    expect(judged(body({ type: 'rate_limit_error' })).error?.kind).toBe('limit');
    expect(judged({ statusCode: 429, responseBody: 'insufficient_quota' }).error?.kind).toBe('limit');
    expect(judged(body({ code: 'constructor' })).error?.kind).toBe('limit');
  });

  it('recognises an overload in the middle of an answer, which has no status', () => {
    const responseBody = JSON.stringify({ type: 'error', error: { type: 'overloaded_error' } });
    expect(judged({ responseBody })).toMatchObject({ error: { kind: 'limit' }, limit: { kind: 'overloaded' } });
  });

  it.each([
    ['30', AT + 30_000],
    ['Thu, 01 Jan 2026 05:00:00 GMT', Date.parse('2026-01-01T05:00:00Z')],
    ['soon', null],
  ])('knows from retry-after %s when the limit ends', (after, resetsAt) => {
    const { limit } = judged({ statusCode: 429, responseHeaders: { 'retry-after': after } });
    expect(limit).toEqual({ status: 'rejected', kind: 'rate_limit', resetsAt });
  });

  it('reads the names of errors without a status', () => {
    expect(judged({}, 'ProviderAuthError').error?.kind).toBe('auth');
    expect(judged({}, 'ContextOverflowError').error?.kind).toBe('api');
    expect(judged({ statusCode: 429 }, 'SomethingElse').error?.kind).toBe('api');
  });

  it('does not believe an answer that broke off between two steps', () => {
    const end = (reason: string) =>
      readStream(opencode, [
        { type: 'text', part: { text: 'I will' } },
        { type: 'step_finish', part: { reason } },
      ]);
    expect(end('stop').error).toBeNull();
    expect(end('tool-calls').error?.kind).toBe('crash');
  });
});
