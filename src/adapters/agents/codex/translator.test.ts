import { describe, expect, it } from 'vitest';
import { readFailure, toolCall, toolResult } from './translator.ts';

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
    expect(toolCall({ id: 'item_1', ...item })).toEqual({ type: 'tool-call', id: 'item_1', name, summary });
  });

  it('are successful only when nothing about them failed', () => {
    const ok = (item: object) => toolResult({ type: 'command_execution', status: 'completed', ...item });
    expect(ok({ exit_code: 0 })).toMatchObject({ ok: true });
    expect(ok({ exit_code: 1 })).toMatchObject({ ok: false });
    expect(ok({ status: 'declined' })).toMatchObject({ ok: false });
    expect(toolResult({ type: 'mcp_tool_call', status: 'failed', error: { message: 'no such story' } })).toMatchObject({
      ok: false,
      summary: 'no such story',
    });
  });

  it('are not made of other items', () => {
    for (const type of ['agent_message', 'reasoning', 'todo_list', 'constructor', undefined]) {
      expect(toolCall({ id: 'item_1', type })).toBeNull();
      expect(toolResult({ id: 'item_1', type })).toBeNull();
    }
  });
});

describe('readFailure', () => {
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
    expect(readFailure(message)).toEqual({
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
      expect(readFailure(message)).toEqual({ kind: 'api', limit: null });
    }
  });
});
