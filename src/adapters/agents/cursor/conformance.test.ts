import { expect, test } from 'vitest';
import { conforms, type Recording, readStream } from '../conformance.fixture.ts';
import { cursor } from './adapter.ts';

const session_id = '00000000-0000-4000-8000-000000000001';
const says = (text: string) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  session_id,
});
const call = (subtype: string, call_id: string, tool_call: object) => ({
  type: 'tool_call',
  subtype,
  call_id,
  tool_call,
});
const edit = { args: { path: 'note.txt' } };
const shell = { args: { command: 'npm test' } };
const read = { args: { path: 'missing.txt' } };
const lines = (...all: object[]) => all.map((line) => JSON.stringify(line));

const BEGINNING = [
  { type: 'system', subtype: 'init', apiKeySource: 'env', cwd: '/project', session_id, model: 'a-model' },
  { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Do it.' }] }, session_id },
  says('I write it.'),
];
const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 9,
  result: 'All is done.',
  session_id,
};

/** Streams after the client's documentation: not tried with an account. */
const STREAMS: readonly Recording[] = [
  {
    name: 'success',
    exitCode: 0,
    stdout: lines(
      ...BEGINNING,
      call('started', 'c1', { editToolCall: edit }),
      call('completed', 'c1', { editToolCall: { ...edit, result: { success: { path: '/project/note.txt' } } } }),
      call('started', 'c2', { shellToolCall: shell }),
      call('completed', 'c2', {
        shellToolCall: { ...shell, result: { success: { exitCode: 1, stdout: '1 failed' } } },
      }),
      call('started', 'c3', { readToolCall: read }),
      call('completed', 'c3', { readToolCall: { ...read, result: { error: { errorMessage: 'not found' } } } }),
      says('All is done.'),
      result,
    ),
    events: [
      { type: 'session', model: 'a-model' },
      { type: 'text', text: 'I write it.' },
      { type: 'tool-call', name: 'edit', summary: 'note.txt' },
      { type: 'tool-result', ok: true },
      { type: 'tool-call', name: 'shell', summary: 'npm test' },
      { type: 'tool-result', ok: false, summary: '1 failed' },
      { type: 'tool-call', name: 'read', summary: 'missing.txt' },
      { type: 'tool-result', ok: false },
      { type: 'text', text: 'All is done.' },
    ],
    result: { error: null, text: 'All is done.', sessionId: session_id },
  },
  {
    name: 'failure',
    exitCode: 1,
    stdout: lines(...BEGINNING),
    stderr: 'the connection was lost\n',
    events: [{ type: 'text', text: 'I write it.' }],
    result: { error: 'crash', text: 'I write it.' },
  },
  {
    name: 'no login',
    exitCode: 1,
    stdout: [],
    stderr:
      "Error: Authentication required. Please run 'cursor-agent login' first, or set CURSOR_API_KEY environment variable.\n",
    events: [],
    result: { error: 'auth' },
  },
  {
    name: 'refused key',
    exitCode: 1,
    stdout: [],
    stderr:
      '\u001b[33m⚠ Warning: The provided API key is invalid.\u001b[0m\nThe API key was loaded from the CURSOR_API_KEY environment variable.\nPlease check you have the right key, create a new one, or authenticate without it.\n',
    events: [],
    result: { error: 'auth' },
  },
];

conforms(cursor, STREAMS);

test('a refused login is one only at the start, before the agent could write anything', () => {
  const stderr = STREAMS[2]?.stderr ?? '';
  expect(readStream(cursor, BEGINNING, { exitCode: 1, stderr }).error?.kind).toBe('crash');
});
