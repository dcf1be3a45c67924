import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { testConfig } from '../../../../test/support/agent-task.ts';
import { NO_USAGE } from '../../../contracts/index.ts';
import { conforms, type Recording } from '../conformance.fixture.ts';
import { scripted } from './adapter.ts';

const session = { type: 'session', sessionId: 'scripted-1', model: 'play', version: null };
const result = (rest: object) => ({
  type: 'result',
  text: '',
  usage: { ...NO_USAGE, inputTokens: 30 },
  costUsd: 0.5,
  turns: 1,
  limit: null,
  error: null,
  ...rest,
});
const limit = { status: 'rejected', kind: 'five_hour', resetsAt: 1_800_000_000_000 } as const;

const RECORDINGS: readonly Recording[] = [
  {
    name: 'a session with a tool',
    stdout: [
      session,
      { type: 'text', text: 'I write it.' },
      { type: 'tool-call', id: 'c1', name: 'Write', summary: 'notes.txt' },
      { type: 'tool-result', id: 'c1', ok: true, summary: 'written: 1 line' },
      { type: 'usage', usage: { ...NO_USAGE, inputTokens: 10 }, contextTokens: 10 },
      result({ text: 'Written.' }),
    ].map((line) => JSON.stringify(line)),
    exitCode: 0,
    events: [{ type: 'session' }, { type: 'tool-call' }, { type: 'tool-result', ok: true }],
    result: { error: null, text: 'Written.', costUsd: 0.5, sessionId: 'scripted-1' },
  },
  {
    name: 'a usage limit',
    stdout: [session, { type: 'limit', limit }, result({ limit, error: { kind: 'limit', message: 'enough' } })].map(
      (line) => JSON.stringify(line),
    ),
    exitCode: 1,
    events: [{ type: 'limit', limit }],
    result: { error: 'limit', limit },
  },
];

const dir = mkdtempSync(join(tmpdir(), 'ralph-scenario-'));
const scenario = join(dir, 'scenario.yaml');
writeFileSync(scenario, 'version: 1\nsteps:\n  - do:\n      - say: Done.\n');
afterAll(() => rmSync(dir, { recursive: true }));

conforms(scripted, RECORDINGS, { ownProgram: true, task: { config: testConfig({ scripted: { scenario } }) } });
