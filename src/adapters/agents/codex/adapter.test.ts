import { describe, expect, it } from 'vitest';
import { testAgents, testConfig, testTask } from '../../../../test/support/agent-task.ts';
import { readStream } from '../conformance.fixture.ts';
import { codex } from './adapter.ts';

const task = (rest: Parameters<typeof testTask>[0] | object = {}) =>
  testTask({ cwd: '/project', tempDir: '/tmp/t', config: testConfig({ timeoutMs: 90_500 }), ...rest });

describe('the command', () => {
  it('runs without the settings of the host, the prompt on standard input', async () => {
    const { file, args, stdin } = await codex.command(task({ prompt: '--json is no flag here' }));
    expect(file).toBe('codex');
    expect(args).toEqual([
      ...['exec', '--json', '--color', 'never', '--ignore-user-config', '--ignore-rules', '--ephemeral'],
      ...['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-'],
    ]);
    expect(stdin).toBe('--json is no flag here');
  });

  it('takes a model and further arguments, and still reads the prompt from standard input', async () => {
    const codexSettings = { args: ['-c', 'model_provider="mine"'], effort: 'high' };
    const config = testConfig({ agents: testAgents({ codex: codexSettings }) });
    const { args } = await codex.command(task({ model: 'some-model', config }));
    expect(args.slice(-7)).toEqual([
      '--model',
      'some-model',
      '-c',
      'model_reasoning_effort="high"',
      '-c',
      'model_provider="mine"',
      '-',
    ]);
  });

  it('goes to the address where its key is added', async () => {
    const { args } = await codex.command(task({ env: { RALPH_CODEX_BASE_URL: 'http://127.0.0.1:5' } }));
    expect(args).toContain('model_provider="openai-outside"');
    expect(args.find((text) => text.startsWith('model_providers.'))).toContain('base_url="http://127.0.0.1:5"');
  });

  it("names the run's tools without their token", async () => {
    const { args } = await codex.command(task({ control: { url: 'http://127.0.0.1:4', token: 'secret' } }));
    expect(args).toContain(
      'mcp_servers.ralph={url="http://127.0.0.1:4/mcp",bearer_token_env_var="RALPH_CONTROL_TOKEN",tool_timeout_sec=91}',
    );
    expect(args.join(' ')).not.toContain('secret');
  });
});

const eventsOf = (item: object, type = 'item.completed') => readStream(codex, [{ type, item }]).events;

describe('tool items', () => {
  it.each([
    [{ type: 'command_execution', command: `/bin/zsh -lc "echo \\"a b\\" \\$HOME"` }, 'shell', 'echo "a b" $HOME'],
    [{ type: 'command_execution', command: `/bin/bash -lc 'echo '\\''quoted'\\'''` }, 'shell', "echo 'quoted'"],
    [{ type: 'command_execution', command: 'make test' }, 'shell', 'make test'],
    [{ type: 'file_change', changes: [{ path: 'a.ts' }, { path: 'b.ts', kind: 'add' }] }, 'apply_patch', 'a.ts b.ts'],
    [
      { type: 'mcp_tool_call', server: 'ralph', tool: 'get_story', arguments: { id: 'US-1' } },
      'ralph.get_story',
      '{"id":"US-1"}',
    ],
    [{ type: 'web_search', query: 'till rolls' }, 'web_search', 'till rolls'],
  ])('are shown as calls: %j', (item, name, summary) => {
    expect(eventsOf({ id: 'item_1', ...item }, 'item.started')).toEqual([
      { type: 'tool-call', id: 'item_1', name, summary },
    ]);
  });

  it('are successful only when nothing about them failed', () => {
    const ok = (item: object) => eventsOf({ type: 'command_execution', status: 'completed', ...item })[1];
    expect(ok({ exit_code: 0 })).toMatchObject({ ok: true });
    expect(ok({ exit_code: 1 })).toMatchObject({ ok: false });
    expect(ok({ status: 'declined' })).toMatchObject({ ok: false });
    expect(eventsOf({ type: 'mcp_tool_call', status: 'failed', error: { message: 'no such story' } })[1]).toMatchObject(
      {
        ok: false,
        summary: 'no such story',
      },
    );
  });

  it('are not made of other items', () => {
    for (const type of ['agent_message', 'reasoning', 'todo_list', 'constructor', undefined]) {
      expect(eventsOf({ id: 'item_1', type }, 'item.started')).toEqual([]);
      expect(eventsOf({ id: 'item_1', type })).toEqual([]);
    }
  });
});

const failed = (message: string) => {
  const { error, limit } = readStream(codex, [{ type: 'turn.failed', error: { message } }], { exitCode: 1 });
  return { kind: error?.kind, limit };
};

describe('a failed turn', () => {
  it.each([
    ["You've hit your usage limit. Try again later.", 'limit', 'usage_limit'],
    [
      'You’ve hit your usage limit for some-model. Switch to another model now, or try again at 9:15 PM.',
      'limit',
      'usage_limit',
    ],
    ['Selected model is at capacity. Please try a different model.', 'limit', 'overloaded'],
    ['exceeded retry limit, last status: 429 Too Many Requests, request id: 7', 'limit', 'rate_limit'],
    ['unexpected status 529 <unknown status code>: busy', 'limit', 'overloaded'],
    ['unexpected status 502 Bad Gateway: Unknown error', 'network', null],
    ['unexpected status 401 Unauthorized: no', 'auth', null],
    ['unexpected status 404 Not Found: no', 'model', null],
    ['Your access token could not be refreshed. Please log out and sign in again.', 'auth', null],
    ['Your workspace is out of credits. Add credits to continue.', 'auth', null],
    ["The 'some-model' model is not supported when using Codex with a ChatGPT account.", 'model', null],
    ["Codex ran out of room in the model's context window.", 'api', null],
    ['', 'api', null],
  ])('%s', (message, kind, limit) => {
    expect(failed(message)).toEqual({
      kind,
      limit: limit === null ? null : { status: 'rejected', kind: limit, resetsAt: null },
    });
  });

  it('takes a template for one only from its first word on', () => {
    for (const message of [
      "the tool said: You've hit your usage limit.",
      'bad request: unexpected status 429',
      '{"error":{"message":"exceeded retry limit, last status: 429"}}',
    ]) {
      expect(failed(message)).toEqual({ kind: 'api', limit: null });
    }
  });
});
