import { expect, test } from 'vitest';
import { conforms, type Recording } from '../conformance.fixture.ts';
import { amp } from './adapter.ts';

const session_id = 'T-00000000-0000-4000-8000-000000000001';
const of = { parent_tool_use_id: null, session_id };
const counted = (input_tokens: number, cache_creation_input_tokens: number, cache_read_input_tokens: number) => ({
  ...{ input_tokens, cache_creation_input_tokens, cache_read_input_tokens },
  ...{ output_tokens: 8, max_tokens: 224_000, service_tier: 'standard' },
});
const says = (content: object[], usage: object) => ({
  ...{ type: 'assistant', ...of },
  message: { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage },
});
const user = (...content: object[]) => ({ type: 'user', message: { role: 'user', content }, ...of });
const lines = (...all: object[]) => all.map((line) => JSON.stringify(line));

const BEGINNING = [
  { type: 'system', subtype: 'init', cwd: '/project', session_id, tools: ['Bash'], mcp_servers: [] },
  user({ type: 'text', text: 'Do it.' }),
  says(
    [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { cmd: 'npm test' } },
    ],
    counted(110, 0, 100),
  ),
  user({ type: 'tool_result', tool_use_id: 't1', content: '1 failed', is_error: true }),
];
const usage = { inputTokens: 20, outputTokens: 16, cacheReadTokens: 200, cacheWriteTokens: 30 };

/** Streams after the client's documentation: not tried with an account. */
const STREAMS: readonly Recording[] = [
  {
    name: 'success',
    exitCode: 0,
    stdout: lines(...BEGINNING, says([{ type: 'text', text: 'All is done.' }], counted(140, 30, 100)), {
      type: 'result',
      subtype: 'success',
      is_error: false,
      num_turns: 2,
      result: 'All is done.',
      session_id,
    }),
    events: [
      { type: 'session', sessionId: session_id },
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', name: 'Bash', summary: '{"cmd":"npm test"}' },
      { type: 'tool-result', ok: false, summary: '1 failed' },
      { type: 'text', text: 'All is done.' },
      { type: 'usage', usage },
    ],
    result: { error: null, text: 'All is done.', turns: 2, usage, sessionId: session_id },
  },
  {
    name: 'failure',
    exitCode: 1,
    stdout: lines(...BEGINNING, {
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      error: 'it broke',
    }),
    events: [],
    result: { error: 'api' },
  },
  {
    name: 'too many turns',
    exitCode: 1,
    stdout: lines(...BEGINNING, { type: 'result', subtype: 'error_max_turns', is_error: true, error: 'too many' }),
    events: [],
    result: { error: 'exhausted' },
  },
  // As the real client wrote it, version 0.0.1790142911, against a server that refused every request.
  {
    name: 'refused key',
    exitCode: 1,
    stdout: [],
    stderr: "Error: Invalid or missing API key. Run 'amp login' to authenticate.\n",
    events: [],
    result: { error: 'auth' },
  },
];

conforms(amp, STREAMS);

test('of its file of secrets the keys are kept, and nothing else', () => {
  const { login } = amp.inside.logins[0] ?? {};
  const key = { 'apiKey@https://ampcode.com/': 'made-up' };
  expect(JSON.parse(login?.(JSON.stringify({ ...key, 'mcp-oauth': { x: 1 }, other: 'text' })) ?? '')).toEqual(key);
  for (const junk of ['', '[]', '{}', '{"apiKey@x":1}']) expect(login?.(junk)).toBeNull();
});
