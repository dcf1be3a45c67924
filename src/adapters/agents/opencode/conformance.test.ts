import { readFileSync } from 'node:fs';
import { conforms, type Recording, recordedIn } from '../conformance.fixture.ts';
import { opencode } from './adapter.ts';

/** One of the client's streams as version 1.18.33 wrote it with our plugin; ids and places replaced. */
const recorded = recordedIn((name) => readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8'));

const limit = (kind: string, resetsAt: number | null) => ({ status: 'rejected', kind, resetsAt }) as const;
const usage = { inputTokens: 20, outputTokens: 10, cacheReadTokens: 200, cacheWriteTokens: 0 };
const session = { type: 'session', sessionId: 'ses_0001' } as const;
/** When the recorded clients were told to ask again. */
const RESET_429 = 1_795_331_509_762;
const RESET_HOURS = 1_795_335_132_160;
const retry = { type: 'retry', attempt: 1 } as const;

const RECORDINGS: readonly Recording[] = [
  recorded('success', 0, {
    error: null,
    text: 'all done',
    usage,
    costUsd: 0.00021,
    turns: 2,
    sessionId: 'ses_0001',
    events: [
      session,
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', name: 'bash', summary: 'echo hello > hello.txt && cat hello.txt' },
      { type: 'tool-result', ok: true, summary: 'hello' },
      { type: 'usage', contextTokens: 115, costUsd: 0.000105 },
      { type: 'text', text: 'all done' },
      { type: 'usage', usage, contextTokens: 115, costUsd: 0.00021 },
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
  recorded('limit-429', 1, { error: 'limit', limit: limit('rate_limit', RESET_429), events: [session, retry] }),
  // The plugin ended the client, which would have slept for an hour.
  recorded('limit-hours', 1, {
    error: 'limit',
    limit: limit('rate_limit', RESET_HOURS),
    events: [session, retry, { type: 'limit', limit: limit('rate_limit', RESET_HOURS) }],
  }),
  recorded('overload', 1, { error: 'limit', limit: limit('overloaded', null), events: [retry] }),
  recorded('auth', 1, { error: 'auth', limit: null, events: [session] }),
  recorded('forbidden', 1, { error: 'auth' }),
  recorded('no-key', 1, { error: 'auth' }),
  recorded('model', 1, { error: 'model' }),
  recorded('unknown-model', 1, {
    error: 'model',
    stderr: [
      'timestamp=2026-01-01T00:00:00.000Z level=ERROR run=00000000 message="stream error" error="AI_APICallError: other"',
      'timestamp=2026-01-01T00:00:00.000Z level=ERROR run=00000000 message=failed ref=err_0001 error="ProviderModelNotFoundError: Model not found: fake/nope." cause="ProviderModelNotFoundError: Model not found: fake/nope.\\n    at <anonymous>"',
      '',
    ].join('\n'),
  }),
  recorded('bad', 1, { error: 'api' }),
  recorded('server-error', 1, { error: 'network', events: [retry] }),
  recorded('refused', 1, { error: 'network', events: [retry] }),
  recorded('empty', 0, { error: 'empty', text: '', turns: 1 }),
  recorded('terminated', null, { error: 'crash', signal: 'SIGTERM', events: [session] }),
];

conforms(opencode, RECORDINGS);
