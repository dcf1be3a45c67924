import { describe, expect, it } from 'vitest';
import { toolCall, toolResult } from './items.ts';

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
