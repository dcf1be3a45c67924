import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { conforms, type Recording, readStream, recordedIn } from '../conformance.fixture.ts';
import { qwen } from './adapter.ts';

/** One of the client's streams as version 0.24.4 wrote it, with its exit code; ids and places replaced. */
const recorded = recordedIn((name) => readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8'));

const usage = { inputTokens: 30, outputTokens: 15, cacheReadTokens: 300, cacheWriteTokens: 0 };

const RECORDINGS: readonly Recording[] = [
  recorded('success', 0, {
    error: null,
    text: 'All is done.',
    turns: 3,
    usage,
    sessionId: '00000000-0000-4000-8000-000000000001',
    events: [
      { type: 'session', model: 'a-model' },
      { type: 'text', text: 'I write it.' },
      { type: 'tool-call', name: 'run_shell_command', summary: 'echo hello > note.txt' },
      { type: 'tool-result', ok: true },
      { type: 'tool-call', name: 'read_file', summary: '/project/missing.txt' },
      { type: 'tool-result', ok: false },
      { type: 'text', text: 'All is done.' },
      { type: 'usage', usage },
    ],
  }),
  recorded('rate-limit', 1, { error: 'limit', limit: { status: 'rejected', kind: 'rate_limit', resetsAt: null } }),
  recorded('refused-key', 1, { error: 'auth' }),
  recorded('no-key', 1, { error: 'auth' }),
  recorded('unknown-model', 1, { error: 'model' }),
  recorded('server-error', 1, { error: 'network' }),
  recorded('refused-connection', 1, { error: 'network' }),
  recorded('empty-answer', 1, { error: 'empty' }),
  recorded('terminated', null, { error: 'crash', signal: 'SIGTERM', text: 'I begin.' }),
];

conforms(qwen, RECORDINGS);

test.each([
  [41, 'auth'],
  [53, 'exhausted'],
  [1, 'api'],
])('the client’s own exit code %i counts when its message says nothing', (exitCode, kind) => {
  const result = { type: 'result', is_error: true, error: { message: 'a message of a later version' } };
  expect(readStream(qwen, [result], { exitCode }).error).toMatchObject({ kind });
});
