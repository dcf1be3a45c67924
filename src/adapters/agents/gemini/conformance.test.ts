import { readFileSync } from 'node:fs';
import { conforms, type Recording, recordedIn } from '../conformance.fixture.ts';
import { gemini } from './adapter.ts';

/**
 * One of the client's streams as version 0.61.0 wrote it, with its exit code; ids and places replaced. It exits with
 * the lowest byte of an HTTP status.
 */
const recorded = recordedIn((name) => readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8'));

const limit = { status: 'rejected', kind: 'rate_limit', resetsAt: null } as const;
const usage = { inputTokens: 300, outputTokens: 60, cacheReadTokens: 60, cacheWriteTokens: 0 };
const report = (error: string) =>
  `Error when talking to Gemini API Full report available at: /tmp/client error.json ${error}\n    at somewhere\n`;

const RECORDINGS: readonly Recording[] = [
  recorded('success', 0, {
    error: null,
    text: 'All is done.',
    usage,
    sessionId: '00000000-0000-4000-8000-000000000001',
    events: [
      { type: 'session', model: 'gemini-2.5-flash' },
      { type: 'text', text: 'I write it.' },
      { type: 'tool-call', name: 'write_file', summary: 'note.txt' },
      { type: 'tool-result', ok: true, summary: '' },
      { type: 'tool-call', name: 'run_shell_command', summary: 'cat note.txt; exit 3' },
      { type: 'tool-result', summary: 'hello' },
      { type: 'text', text: 'All is done.' },
      { type: 'usage', usage },
    ],
  }),
  recorded('failing-tools', 0, {
    error: null,
    text: 'Nothing there.',
    events: [
      { type: 'tool-call', name: 'read_file', summary: 'missing.txt' },
      { type: 'tool-result', ok: false, summary: 'File not found.' },
      { type: 'tool-result', ok: false },
    ],
  }),
  recorded('quota', 173, { error: 'limit', limit }),
  recorded('rate-limit', 173, { error: 'limit', limit }),
  recorded('refused-key', 145, { error: 'auth' }),
  recorded('wrong-key', 144, { error: 'auth' }),
  recorded('unknown-model', 1, {
    error: 'model',
    stderr: report('ModelNotFoundError: models/nope is not found for API version v1beta.'),
  }),
  recorded('server-error', 244, { error: 'network' }),
  recorded('refused-connection', 1, { error: 'network' }),
  recorded('empty-answer', 0, { error: 'empty', events: [{ type: 'notice' }] }),
  // Ended by SIGTERM it says nothing more and exits as if all were well.
  recorded('terminated', 0, {
    error: 'empty',
    text: 'I begin.',
    events: [{ type: 'tool-call', summary: 'sleep 100' }],
  }),
];

conforms(gemini, RECORDINGS);
