import { readFileSync } from 'node:fs';
import { conforms, type Recording, recordedIn } from '../conformance.fixture.ts';
import { droid } from './adapter.ts';

/** One of the client's streams as version 0.225.2 wrote it, with its exit code; ids and places replaced. */
const recorded = recordedIn((name) => readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8'));

const usage = { inputTokens: 30, outputTokens: 103, cacheReadTokens: 33_034, cacheWriteTokens: 0 };

const RECORDINGS: readonly Recording[] = [
  recorded('success', 0, {
    error: null,
    text: 'All is done.',
    turns: 3,
    usage,
    sessionId: '00000000-0000-4000-8000-000000000001',
    events: [
      { type: 'session', model: 'custom:Fake-0' },
      { type: 'text', text: 'I write it.' },
      { type: 'tool-call', name: 'Execute', summary: 'echo hello > note.txt' },
      { type: 'tool-result', ok: true },
      { type: 'tool-result', ok: false },
      { type: 'text', text: 'All is done.' },
      { type: 'usage', usage },
    ],
  }),
  recorded('rate-limit', 1, {
    error: 'limit',
    limit: { status: 'rejected', kind: 'rate_limit', resetsAt: null },
    events: [{ type: 'notice' }],
  }),
  recorded('refused-key', 1, { error: 'auth' }),
  recorded('unknown-model', 1, { error: 'model' }),
  recorded('refused-connection', 1, { error: 'network' }),
  recorded('empty-answer', 0, { error: 'empty' }),
  // Ended by SIGTERM it goes on for a moment: the tool is killed, and the model has the last word.
  recorded('terminated', 0, {
    error: null,
    text: 'done',
    events: [
      { type: 'tool-call', summary: 'sleep 100' },
      { type: 'tool-result', ok: false },
    ],
  }),
  // Five hundreds, again and again, until it was ended by SIGTERM: it exits as if all were well.
  recorded('server-error', 0, { error: 'empty' }),
];

conforms(droid, RECORDINGS);
