import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claude } from '../../src/adapters/agents/claude/adapter.ts';
import { startAgent } from '../../src/adapters/agents/index.ts';
import { noIsolation } from '../../src/adapters/isolation/choose.ts';
import type { AgentEvent } from '../../src/contracts/index.ts';
import { runCommand, systemClock } from '../../src/platform/index.ts';
import { testAgents, testConfig, testTask } from '../support/agent-task.ts';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { clientEnvironment } from '../support/client-environment.ts';
import { inOrder, type ModelServer, type Script, startModelServer, textOf } from '../support/model-server.ts';
import { livingOf, markedProcesses } from '../support/processes.ts';
import { until } from '../support/until.ts';

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

interface Played {
  readonly run: Awaited<ReturnType<typeof startAgent>>;
  readonly events: readonly AgentEvent[];
  readonly server: ModelServer;
  readonly marker: string;
}

describe.skipIf(!binary)('the claude adapter with the real client', () => {
  let root = '';
  let server: ModelServer | null = null;
  let marker = '';
  const repo = () => join(root, 'repo');

  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'ralph-claude-')));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  afterEach(async () => {
    await server?.close();
    expect(await markedProcesses(marker), 'processes left behind').toEqual([]);
    await rm(repo(), { recursive: true, force: true });
  });

  /** One task of the real client in a fresh repository against a scripted model. */
  async function play(
    script: Script,
    options: Partial<Parameters<typeof startAgent>[2]> & { env?: Record<string, string>; prompt?: string } = {},
  ): Promise<Played> {
    await mkdir(repo(), { recursive: true });
    await runCommand('git', ['init', '-q', '-b', 'main'], { cwd: repo() });
    server = await startModelServer(script);
    marker = `test-${process.pid}-${Math.random().toString(36).slice(2)}`;
    const tempDir = join(root, 'tmp');
    await mkdir(tempDir, { recursive: true });
    const events: AgentEvent[] = [];
    const task = testTask({
      cwd: repo(),
      tempDir,
      run: marker,
      prompt: options.prompt ?? 'Do what the story says.',
      model: 'claude-sonnet-5-5',
      env: { ...(await clientEnvironment(root, server.url)), ...options.env },
      config: testConfig({
        agents: testAgents({ claude: { command: binary ?? '', effort: 'low' } }),
      }),
    });
    const run = await startAgent(claude, task, {
      isolation: noIsolation(),
      clock: systemClock,
      timeoutMs: 300_000,
      idleTimeoutMs: 60_000,
      signal: new AbortController().signal,
      onOutput: () => undefined,
      ...options,
      onEvent: (event) => {
        events.push(event);
        options.onEvent?.(event);
      },
    });
    return { run, events, server, marker };
  }

  it('gives the prompt to the model and its answer back', async () => {
    const { run, events, server } = await play(inOrder('all done'), { prompt: 'Say that you are done.' });
    expect(run).toMatchObject({
      stopped: null,
      result: { ok: true, exitCode: 0, text: 'all done', turns: 1, error: null, limit: null },
    });
    expect(run.result.usage).toMatchObject({ inputTokens: 10, cacheReadTokens: 100, outputTokens: 5 });
    expect(run.result.costUsd).toBeGreaterThan(0);
    expect(events[0]).toMatchObject({ type: 'session', model: 'claude-sonnet-5-5', version: '2.1.330' });
    expect(events).toContainEqual({ type: 'text', text: 'all done' });
    expect(textOf(server.requests[0]!)).toContain('Say that you are done.');
    expect(server.requests[0]!.model).toBe('claude-sonnet-5-5');
    expect(server.requests[0]!.raw).toContain('"effort":"low"');
  });

  it('executes Write, Read, Edit and Bash in the work tree, and says so in events', async () => {
    const file = join(repo(), 'greeting.txt');
    const { run, events } = await play(
      inOrder(
        { text: 'I write it.', tools: [{ name: 'Write', input: { file_path: file, content: 'hello\n' } }] },
        { tools: [{ name: 'Read', input: { file_path: file } }] },
        { tools: [{ name: 'Edit', input: { file_path: file, old_string: 'hello', new_string: 'goodbye' } }] },
        { tools: [{ name: 'Bash', input: { command: 'cat greeting.txt && exit 3' } }] },
        'finished',
      ),
    );
    expect(run.result).toMatchObject({ ok: true, text: 'finished', turns: 5 });
    expect(await readFile(file, 'utf8')).toBe('goodbye\n');
    const calls = events.filter((event) => event.type === 'tool-call');
    expect(calls.map((call) => [call.name, call.summary])).toEqual([
      ['Write', file],
      ['Read', file],
      ['Edit', file],
      ['Bash', 'cat greeting.txt && exit 3'],
    ]);
    expect(events.filter((event) => event.type === 'tool-result').map((result) => result.ok)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("keeps the project's CLAUDE.md although its settings are left out", async () => {
    await mkdir(join(repo(), '.claude'), { recursive: true });
    await writeFile(join(repo(), 'CLAUDE.md'), 'The password of the tests is swordfish.\n');
    await writeFile(join(repo(), '.claude', 'settings.json'), JSON.stringify({ env: { LEAKED: 'yes' } }));
    const { run, server } = await play(
      inOrder(
        {
          tools: [
            { name: 'Bash', input: { command: 'echo "leaked=$LEAKED run=$RALPH_RUN_ID story=$RALPH_STORY_ID"' } },
          ],
        },
        'ok',
      ),
    );
    expect(run.result.ok).toBe(true);
    expect(server.requests[0]!.raw).toContain('swordfish');
    expect(server.requests[1]!.raw).toContain(`leaked= run=${marker} story=US-001`);
  });

  it('leaves the agent no way to push', async () => {
    const remote = join(root, 'remote.git');
    await runCommand('git', ['init', '-q', '--bare', remote], { cwd: root });
    const command = `git commit -q --allow-empty -m x && git remote add origin ${remote} && git push origin main`;
    const { server } = await play(inOrder({ tools: [{ name: 'Bash', input: { command } }] }, 'ok'));
    expect(server.requests[1]!.raw).toContain('ralph-no-push');
    const refs = await runCommand('git', ['for-each-ref'], { cwd: remote });
    expect(refs.stdout.toString()).toBe('');
    await rm(remote, { recursive: true });
  });

  it.each([
    {
      name: 'overload (529)',
      turn: { status: 529, headers: { 'x-should-retry': 'false' } },
      kind: 'limit',
      limit: { kind: 'overloaded', resetsAt: null },
    },
    {
      name: 'rate limit (429)',
      turn: { status: 429, headers: { 'x-should-retry': 'false' } },
      kind: 'limit',
      limit: { kind: 'rate_limit', resetsAt: null },
    },
    { name: 'a refused key (401)', turn: { status: 401 }, kind: 'auth', limit: null },
    { name: 'missing rights (403)', turn: { status: 403 }, kind: 'auth', limit: null },
    {
      name: 'no credit (400)',
      turn: { status: 400, message: 'Your credit balance is too low to access the API.' },
      kind: 'auth',
      limit: null,
    },
    { name: 'an unknown model (404)', turn: { status: 404, message: 'model: nope' }, kind: 'model', limit: null },
    { name: 'a bad request (400)', turn: { status: 400, message: 'bad' }, kind: 'api', limit: null },
    { name: 'a server error (500)', turn: { status: 500 }, kind: 'network', limit: null },
    { name: 'a dropped connection', turn: { fault: 'drop' as const }, kind: 'network', limit: null },
    { name: 'a stream cut in the middle', turn: { fault: 'cut' as const }, kind: 'network', limit: null },
  ])('recognises $name as $kind', async ({ turn, kind, limit }) => {
    const { run } = await play(inOrder(turn));
    expect(run.result.error, JSON.stringify(run.result)).toMatchObject({ kind });
    expect(run.result).toMatchObject({ ok: false, exitCode: 1, limit: limit && { status: 'rejected', ...limit } });
  });

  it('recognises a refused connection as network', async () => {
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', CLAUDE_CODE_MAX_RETRIES: '1' };
    const { run, events } = await play(inOrder('never'), { env });
    expect(run.result.error).toMatchObject({ kind: 'network' });
    expect(events.some((event) => event.type === 'retry')).toBe(true);
  });

  it('does not take an empty answer with exit 0 for a success', async () => {
    const { run } = await play(inOrder({ fault: 'empty' }));
    expect(run.result).toMatchObject({ ok: false, exitCode: 0, text: '', error: { kind: 'empty' } });
  });

  it('says that nobody is logged in', async () => {
    const { run } = await play(inOrder('never'), { env: { ANTHROPIC_API_KEY: '' } });
    expect(run.result).toMatchObject({ ok: false, error: { kind: 'auth' } });
  });

  const subscription = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-fake' };
  const resetsAt = Math.floor(Date.now() / 1000) + 3600;
  const windows = (status: string, utilization: string) => ({
    'anthropic-ratelimit-unified-status': status,
    'anthropic-ratelimit-unified-reset': String(resetsAt),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-status': status,
    'anthropic-ratelimit-unified-5h-reset': String(resetsAt),
    'anthropic-ratelimit-unified-5h-utilization': utilization,
    'anthropic-ratelimit-unified-5h-surpassed-threshold': '0.9',
  });

  it("recognises a subscription's five-hour limit and when it ends", async () => {
    const { run, events } = await play(inOrder({ status: 429, headers: windows('rejected', '1') }), {
      env: subscription,
    });
    const limit = { status: 'rejected', kind: 'five_hour', resetsAt: resetsAt * 1000 };
    expect(run.result).toMatchObject({ ok: false, error: { kind: 'limit' }, limit });
    expect(events).toContainEqual({ type: 'limit', limit });
  });

  it('goes on after a warning about a limit', async () => {
    const { run, events } = await play(inOrder({ text: 'fine', headers: windows('allowed_warning', '0.93') }), {
      env: subscription,
    });
    expect(run.result).toMatchObject({ ok: true, text: 'fine', limit: null });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'limit', limit: expect.objectContaining({ status: 'warning' }) }),
    );
  });

  it('takes talk about limits for talk', async () => {
    const { run } = await play(inOrder("You've hit your 5-hour limit · resets 1am"));
    expect(run.result).toMatchObject({ ok: true, limit: null, error: null });
  });

  it('stops a stream that hangs at the idle timeout', async () => {
    const { run, server } = await play(inOrder({ fault: 'hang' }), { idleTimeoutMs: 4_000 });
    expect(server.requests).toHaveLength(1);
    expect(run.stopped).toBe('idle-timeout');
    expect(run.result.ok).toBe(false);
  });

  it('leaves no process after an interrupt, nor one started with & or setsid', async () => {
    const interrupt = new AbortController();
    const pids = join(root, 'pids');
    const command = [
      `sh -c 'trap "" TERM INT; echo $$ >>${pids}; while :; do sleep 1; done' >/dev/null 2>&1 &`,
      `setsid sh -c 'echo $$ >>${pids}; exec sleep 600' >/dev/null 2>&1 &`,
      `echo $$ >>${pids}; node -e 'setInterval(() => {}, 1000)'`,
    ].join('\n');
    const played = play(inOrder({ tools: [{ name: 'Bash', input: { command } }] }, 'never'), {
      signal: interrupt.signal,
    });
    await until(async () => existsSync(pids) && (await readFile(pids, 'utf8')).trim().split('\n').length === 3);
    interrupt.abort('interrupted');
    const { run } = await played;
    expect(run.stopped).toBe('interrupted');
    expect(run.result.ok).toBe(false);
    const started = (await readFile(pids, 'utf8')).trim().split('\n').map(Number);
    expect(await livingOf(started)).toEqual([]);
  });

  it('sweeps what the agent left in the background after a normal end', async () => {
    const pids = join(root, 'left');
    const command = `setsid sh -c 'echo $$ >>${pids}; exec sleep 600' >/dev/null 2>&1 & until [ -s ${pids} ]; do sleep 0.05; done`;
    const { run } = await play(inOrder({ tools: [{ name: 'Bash', input: { command } }] }, 'done'));
    expect(run.result).toMatchObject({ ok: true, text: 'done' });
    expect(await livingOf([Number(await readFile(pids, 'utf8'))])).toEqual([]);
  });

  it('is detected with its version', async () => {
    const config = testConfig({
      agents: testAgents({ claude: { command: binary ?? '', allowedTools: [] } }),
    });
    expect(await claude.detect(config)).toMatchObject({ ok: true, version: '2.1.330' });
  });
});
