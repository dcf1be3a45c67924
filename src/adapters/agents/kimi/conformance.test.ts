import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testAgents, testConfig, testTask } from '../../../../test/support/agent-task.ts';
import { conforms, type Recording, readStream, recordedIn } from '../conformance.fixture.ts';
import { kimi } from './adapter.ts';

/** One of the client's streams as version 2.1.0 wrote it, with its exit code; ids and places replaced. */
const recorded = recordedIn((name) => readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8'));

/** What the client writes to standard error at its end. */
const ended = (words: string) =>
  `error: failed to run prompt: ${words}\nSee log: /home/una/.kimi-code/logs/kimi-code.log\n`;
const limit = (kind: string) => ({ status: 'rejected', kind, resetsAt: null }) as const;

const RECORDINGS: readonly Recording[] = [
  recorded('success', 0, {
    error: null,
    text: 'All is done.',
    sessionId: 'session_00000000-0000-4000-8000-000000000001',
    events: [
      { type: 'session', version: '2.1.0' },
      { type: 'text', text: 'I write it.' },
      { type: 'tool-call', name: 'Bash', summary: 'echo hello > note.txt' },
      { type: 'tool-result', summary: 'Command executed successfully.' },
      { type: 'tool-call', name: 'Read', summary: '/project/missing.txt' },
      { type: 'tool-result', summary: '"/project/missing.txt" does not exist.' },
      { type: 'text', text: 'All is done.' },
    ],
  }),
  recorded('rate-limit', 1, {
    error: 'limit',
    limit: limit('rate_limit'),
    stderr: ended('provider.rate_limit: 429 {"type":"error"}'),
    events: [{ type: 'retry', attempt: 1, delayMs: 622 }],
  }),
  recorded('refused-key', 1, { error: 'auth', stderr: ended('provider.auth_error: 401 {"type":"error"}') }),
  recorded('refused-connection', 1, {
    error: 'network',
    stderr: ended('provider.connection_error: Connection error.'),
  }),
  recorded('empty-answer', 1, {
    error: 'empty',
    stderr: ended('provider.api_error: The API returned an empty response (no content, no tool calls).'),
  }),
  recorded('terminated', 143, { error: 'crash', text: 'I begin.' }),
];

conforms(kimi, RECORDINGS, { promptInArguments: 'the client reads no standard input' });

test.each([
  ['provider.overloaded: 529 {"type":"error"}', 'limit', limit('overloaded')],
  ['provider.api_error: 500 {"type":"error"}', 'network', null],
  ['provider.api_error: 404 {"type":"error"}', 'model', null],
  ['provider.api_error: 402 {"type":"error"}', 'auth', null],
  ['provider __kimi_env__ has no credential configured', 'auth', null],
  ['No model configured. Run `kimi` and use /login to sign in', 'auth', null],
  ['429 in the words of a later version', 'limit', limit('rate_limit')],
  ['something else: 429', 'api', null],
])('the client’s last words are read: %s', (words, kind, of) => {
  const read = readStream(kimi, [], { exitCode: 1, stderr: ended(words) });
  expect(read).toMatchObject({ error: { kind }, limit: of });
});

test('the same words of a tool, which the client repeats there, count for nothing', () => {
  const stderr = `${ended('provider.rate_limit: 429')}${ended('provider.auth_error: 401')}`;
  expect(readStream(kimi, [], { exitCode: 1, stderr }).error?.kind).toBe('auth');
  expect(
    readStream(kimi, [], { exitCode: 1, stderr: `${ended('provider.rate_limit: 429')}killed\n` }).error?.kind,
  ).toBe('crash');
  expect(readStream(kimi, [], { exitCode: 2, stderr: ended('provider.rate_limit: 429') }).error?.kind).toBe('crash');
});

test('the effort goes into a variable, and the client’s own attempts are few unless the user wants more', async () => {
  const config = testConfig({ agents: testAgents({ kimi: { effort: 'high' } }) });
  const task = testTask({ cwd: '/project', tempDir: '/tmp/t', config });
  expect((await kimi.command(task)).env).toMatchObject({
    KIMI_MODEL_THINKING_EFFORT: 'high',
    KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: '3',
  });
  const own = { ...task, env: { ...task.env, KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: '10' } };
  expect((await kimi.command(own)).env['KIMI_LOOP_MAX_ATTEMPTS_PER_STEP']).toBe('10');
});
