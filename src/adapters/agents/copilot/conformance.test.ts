import { readFileSync } from 'node:fs';
import { conforms, type Recording, recordedIn } from '../conformance.fixture.ts';
import { copilot } from './adapter.ts';

/** One of the client's streams as version 1.0.102 wrote it, with its exit code; ids and places replaced. */
const recorded = recordedIn((name) => readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8'));

const rejected = (kind: string) => ({ status: 'rejected', kind, resetsAt: null }) as const;

const RECORDINGS: readonly Recording[] = [
  recorded('success', 0, {
    error: null,
    text: 'All is done.',
    sessionId: '00000000-0000-4000-8000-000000000001',
    events: [
      { type: 'session', model: 'claude-sonnet-4.5' },
      { type: 'text', text: 'I write it.' },
      { type: 'tool-call', name: 'bash', summary: 'echo hello > note.txt' },
      { type: 'tool-result', ok: true },
      { type: 'tool-call', name: 'bash', summary: 'cat note.txt; exit 3' },
      { type: 'tool-result', ok: false, summary: 'hello\n<shellId: 1 completed with exit code 3>' },
      { type: 'text', text: 'All is done.' },
    ],
  }),
  recorded('rate-limit', 1, {
    error: 'limit',
    limit: rejected('rate_limit'),
    events: [{ type: 'limit', limit: rejected('rate_limit') }],
  }),
  recorded('overloaded', 1, {
    error: 'limit',
    limit: rejected('overloaded'),
    events: [
      { type: 'retry', attempt: 1 },
      { type: 'retry', attempt: 5 },
    ],
  }),
  recorded('refused-key', 1, { error: 'auth', events: [{ type: 'retry', reason: 'transient_auth_error' }] }),
  recorded('unknown-model', 1, { error: 'model' }),
  recorded('server-error', 1, { error: 'network' }),
  recorded('refused-connection', 1, { error: 'network' }),
  recorded('empty-answer', 1, { error: 'empty' }),
  recorded('terminated', 143, { error: 'crash', text: 'I begin.', events: [{ type: 'tool-call' }] }),
];

conforms(copilot, RECORDINGS);
