import { readFileSync } from 'node:fs';
import { conforms, type Recording, recordedIn } from '../conformance.fixture.ts';
import { codex } from './adapter.ts';

/** One of the client's streams as version 0.169.0 wrote it; ids and places replaced. */
const recorded = recordedIn((name) => readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8'));

const limit = (kind: string) => ({ status: 'rejected', kind, resetsAt: null }) as const;
const usage = { inputTokens: 20, outputTokens: 10, cacheReadTokens: 200, cacheWriteTokens: 0 };
const retry = { type: 'retry', attempt: 1 } as const;

const RECORDINGS: readonly Recording[] = [
  recorded('success', 0, {
    error: null,
    text: 'all done',
    usage,
    costUsd: null,
    sessionId: '00000000-0000-7000-8000-000000000001',
    events: [
      { type: 'session', sessionId: '00000000-0000-7000-8000-000000000001' },
      { type: 'notice' },
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', id: 'item_2', name: 'shell', summary: 'echo hello > hello.txt && cat hello.txt' },
      { type: 'tool-result', id: 'item_2', ok: true, summary: 'hello' },
      { type: 'text', text: 'all done' },
      { type: 'usage', usage },
    ],
  }),
  recorded('failing-tool', 0, {
    error: null,
    text: 'it is not there',
    events: [
      { type: 'tool-call', summary: "cat 'no such.txt'; exit 3" },
      { type: 'tool-result', ok: false, summary: "cat: 'no such.txt': No such file or directory" },
    ],
  }),
  recorded('limit-429', 1, { error: 'limit', limit: limit('rate_limit'), events: [retry] }),
  recorded('usage-limit', 1, { error: 'limit', limit: limit('usage_limit') }),
  recorded('overload', 1, { error: 'limit', limit: limit('overloaded'), events: [retry] }),
  recorded('capacity', 1, { error: 'limit', limit: limit('overloaded') }),
  recorded('quota', 1, { error: 'auth', limit: null }),
  recorded('auth', 1, { error: 'auth', limit: null, events: [retry] }),
  recorded('forbidden', 1, { error: 'auth' }),
  recorded('no-key', 1, { error: 'auth' }),
  recorded('model', 1, { error: 'model' }),
  recorded('bad', 1, { error: 'api' }),
  recorded('server-error', 1, { error: 'network', events: [retry] }),
  recorded('drop', 1, { error: 'network', events: [retry] }),
  recorded('cut', 1, { error: 'network', events: [retry] }),
  recorded('empty', 0, { error: 'empty', text: '' }),
  recorded('terminated', null, {
    error: 'crash',
    signal: 'SIGTERM',
    text: 'I wait.',
    events: [{ type: 'tool-call', summary: 'sleep 300' }],
  }),
];

conforms(codex, RECORDINGS);
