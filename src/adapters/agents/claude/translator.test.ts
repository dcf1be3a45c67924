import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../contracts/index.ts';
import { claudeTranslator } from './translator.ts';

function read(lines: readonly (object | string)[], exitCode: number | null = 0) {
  const translator = claudeTranslator();
  const events: AgentEvent[] = lines.flatMap((line) =>
    translator.line(typeof line === 'string' ? line : JSON.stringify(line)),
  );
  return { events, result: translator.end({ exitCode, signal: null, stderr: '' }) };
}

const usage = (input: number, cached: number) => ({
  input_tokens: input,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: 2,
  output_tokens: 1,
});
const assistant = (id: string, block: object, rest: object = {}) => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'm', content: [block], usage: usage(10, 100) },
  parent_tool_use_id: null,
  ...rest,
});
const init = {
  type: 'system',
  subtype: 'init',
  session_id: 's1',
  model: 'some-model',
  claude_code_version: '2.1.330',
  tools: ['Bash'],
};
// Keys in an unhelpful order, as the client writes them.
const result = (text: string, rest: object = {}) => ({
  duration_api_ms: 1,
  terminal_reason: 'completed',
  is_error: false,
  num_turns: 3,
  total_cost_usd: 0.25,
  session_id: 's1',
  usage: usage(20, 200),
  modelUsage: {
    a: { inputTokens: 20, outputTokens: 9, cacheReadInputTokens: 200, cacheCreationInputTokens: 4 },
    b: { inputTokens: 1, outputTokens: 1 },
  },
  result: text,
  type: 'result',
  subtype: 'success',
  ...rest,
});

describe('claudeTranslator', () => {
  it('translates a session with a tool call', () => {
    const { events, result: outcome } = read([
      { type: 'system', subtype: 'hook_started', hook_event: 'SessionStart' },
      init,
      assistant('m1', { type: 'text', text: 'I run it.' }),
      assistant('m1', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test\n', timeout: 5 } }),
      {
        type: 'user',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'Exit code 1\nfailed' }],
        },
      },
      assistant('m2', { type: 'text', text: 'It failed.' }),
      result('It failed.'),
    ]);
    expect(events).toEqual([
      { type: 'session', sessionId: 's1', model: 'some-model', version: '2.1.330' },
      { type: 'text', text: 'I run it.' },
      {
        type: 'usage',
        usage: { inputTokens: 10, cacheReadTokens: 100, cacheWriteTokens: 2, outputTokens: 1 },
        contextTokens: 113,
      },
      { type: 'tool-call', id: 't1', name: 'Bash', summary: 'npm test' },
      {
        type: 'usage',
        usage: { inputTokens: 10, cacheReadTokens: 100, cacheWriteTokens: 2, outputTokens: 1 },
        contextTokens: 113,
      },
      { type: 'tool-result', id: 't1', ok: false, summary: 'Exit code 1\nfailed' },
      { type: 'text', text: 'It failed.' },
      {
        type: 'usage',
        usage: { inputTokens: 20, cacheReadTokens: 200, cacheWriteTokens: 4, outputTokens: 2 },
        contextTokens: 113,
      },
    ]);
    expect(outcome).toMatchObject({
      ok: true,
      text: 'It failed.',
      costUsd: 0.25,
      turns: 3,
      sessionId: 's1',
      limit: null,
      error: null,
    });
    expect(outcome.usage).toEqual({ inputTokens: 21, outputTokens: 10, cacheReadTokens: 200, cacheWriteTokens: 4 });
  });

  it('takes the last of several results', () => {
    const { result: outcome } = read([
      init,
      result('waiting for the task'),
      result('all done', { total_cost_usd: 0.5 }),
    ]);
    expect(outcome).toMatchObject({ ok: true, text: 'all done', costUsd: 0.5 });
  });

  it('keeps what is known of a session that never came to a result', () => {
    const { result: outcome } = read([init, assistant('m1', { type: 'text', text: 'half way' })], 143);
    expect(outcome).toMatchObject({
      ok: false,
      exitCode: 143,
      text: 'half way',
      sessionId: 's1',
      costUsd: null,
      error: { kind: 'crash' },
    });
    expect(outcome.usage.inputTokens).toBe(10);
  });

  it("tells a subagent's work but leaves the window and the final text to the main conversation", () => {
    const { events, result: outcome } = read([
      assistant('m1', { type: 'text', text: 'main' }),
      assistant('m2', { type: 'text', text: 'sub' }, { parent_tool_use_id: 't9' }),
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'usage', contextTokens: null, usage: { inputTokens: 20 } });
    expect(outcome.text).toBe('main');
  });

  it('reads the error of a synthetic message and does not repeat its words', () => {
    const synthetic = {
      type: 'assistant',
      error: 'billing_error',
      message: {
        id: 'x',
        model: '<synthetic>',
        content: [{ type: 'text', text: 'Credit balance is too low' }],
        usage: usage(0, 0),
      },
    };
    const failed = result('Credit balance is too low', {
      is_error: true,
      terminal_reason: 'api_error',
      api_error_status: 400,
    });
    const { events, result: outcome } = read([init, synthetic, failed], 1);
    expect(events).toHaveLength(1);
    expect(outcome.error).toEqual({ kind: 'auth', message: 'Credit balance is too low' });
  });

  it('tells limits, with seconds made milliseconds, and nothing while all is allowed', () => {
    const event = (info: object) => ({ type: 'rate_limit_event', rate_limit_info: info });
    const { events, result: outcome } = read(
      [
        event({ status: 'allowed', resetsAt: 1 }),
        event({ status: 'allowed_warning', resetsAt: 1_700_000_000, rateLimitType: 'seven_day' }),
        event({ status: 'rejected', resetsAt: 1_700_000_100, rateLimitType: 'five_hour' }),
      ],
      1,
    );
    expect(events).toEqual([
      { type: 'limit', limit: { status: 'warning', kind: 'seven_day', resetsAt: 1_700_000_000_000 } },
      { type: 'limit', limit: { status: 'rejected', kind: 'five_hour', resetsAt: 1_700_000_100_000 } },
    ]);
    expect(outcome).toMatchObject({ error: { kind: 'limit' }, limit: { kind: 'five_hour' } });
  });

  it('tells retries, compaction, fallbacks, broken plugins and denials', () => {
    const { events } = read([
      { ...init, plugin_errors: [{ type: 'hook-load-failed' }] },
      { type: 'system', subtype: 'api_retry', attempt: 2, retry_delay_ms: 576, error_status: 529, error: 'overloaded' },
      { type: 'system', subtype: 'compact_boundary', compact_metadata: { post_tokens: 2613 } },
      { type: 'system', subtype: 'model_fallback', fallback_model: 'smaller' },
      result('x', { permission_denials: [{ tool_name: 'Bash' }, { tool_name: 'Bash' }] }),
    ]);
    expect(events.slice(1)).toEqual([
      { type: 'notice', text: 'plugin error: {"type":"hook-load-failed"}' },
      { type: 'retry', attempt: 2, delayMs: 576, reason: 'overloaded 529' },
      { type: 'notice', text: 'the conversation was compacted' },
      { type: 'usage', usage: expect.anything(), contextTokens: 2613 },
      { type: 'notice', text: 'the client switched to model smaller' },
      { type: 'notice', text: 'the client denied: Bash' },
    ]);
  });

  it('skips what it does not know and gives noise a few notices', () => {
    const { events, result: outcome } = read([
      'Warning: no stdin',
      '{"torn',
      '[]',
      'x',
      'y',
      { type: 'hologram' },
      { type: 'system', subtype: 'new' },
      { no: 'type' },
      result('done'),
    ]);
    expect(events.map((event) => event.type)).toEqual(['notice', 'notice', 'notice', 'notice']);
    expect(outcome.ok).toBe(true);
  });

  it('never throws, whatever the fields hold', () => {
    const type = fc.constantFrom('system', 'assistant', 'user', 'result', 'rate_limit_event');
    const subtype = fc.constantFrom('init', 'api_retry', 'compact_boundary', 'model_fallback');
    const fields = fc.dictionary(
      fc.constantFrom(
        'message',
        'content',
        'usage',
        'modelUsage',
        'result',
        'rate_limit_info',
        'compact_metadata',
        'errors',
        'permission_denials',
        'plugin_errors',
        'session_id',
        'is_error',
      ),
      fc.oneof(
        fc.jsonValue(),
        fc.record({
          content: fc.oneof(
            fc.jsonValue(),
            fc.array(fc.record({ type: fc.constantFrom('text', 'tool_use', 'tool_result'), input: fc.jsonValue() })),
          ),
          usage: fc.jsonValue(),
        }),
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(type, subtype, fields)), (wires) => {
        const { result: outcome } = read(wires.map(([t, s, rest]) => ({ ...rest, type: t, subtype: s })));
        expect(typeof outcome.text).toBe('string');
      }),
    );
  });

  const sample = new URL('../../../../../shared/facts/claude-code/sample-stream.jsonl', import.meta.url);
  it.skipIf(!existsSync(sample))('understands a recorded stream of the real client', () => {
    const { events, result: outcome } = read(readFileSync(sample, 'utf8').trim().split('\n'));
    expect(events.filter((event) => event.type !== 'usage').map((event) => event.type)).toEqual([
      'session',
      'text',
      'tool-call',
      'tool-result',
      'text',
    ]);
    expect(outcome).toMatchObject({
      ok: true,
      text: 'done',
      turns: 2,
      usage: { inputTokens: 20, outputTokens: 41, cacheReadTokens: 25011 },
    });
  });
});
