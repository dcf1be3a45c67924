import { mkdirSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import { StateError } from '../../../contracts/index.ts';
import { makeDir } from '../../../platform/index.ts';
import { aCircuitReset, aLine, anAnswer, aReset } from '../../../rules/safeguards/ledger.fixture.ts';
import { readArchiveJournal } from '../archive.ts';
import { mangled } from '../mangled.fixture.ts';
import { openMergeRequests, readStreamFile } from '../streams.ts';
import { tempTree } from '../temp-tree.fixture.ts';
import { readJournal } from './journal.ts';
import { readArchives, readLedger } from './ledger.ts';
import { readMarker } from './marker.ts';
import { readRunRecord, readStatus } from './run-record.ts';

/** Files that hands and crashes may have damaged: each is read as it should be, or refused with one clear error. */

const RUNS = 200;

const HEADER = {
  version: 1,
  run: 'r1',
  iteration: 1,
  mode: 'implement',
  story: 'A',
  attempt: 1,
  startedAt: 1,
  checkpoint: { head: 'a' },
  trust: {},
};
const PLAN = { verdict: 'accepted', rollBack: false, agentHead: 'a', afterTree: 'b', files: {}, ledger: aLine() };
const JOURNALS = [
  { ...HEADER, phase: 'checkpointed' },
  { ...HEADER, phase: 'agent-ended', outcome: {}, afterTree: 'b' },
  { ...HEADER, phase: 'planned', plan: PLAN },
  { ...HEADER, phase: 'done', verdict: 'accepted' },
];
const PHASES = ['checkpointed', 'agent-ended', 'planned', 'done'];
const LEDGER = [
  aLine(),
  aReset(),
  aCircuitReset(),
  anAnswer('Q1'),
  { version: 1, kind: 'archive', stories: ['A'], label: 'l', at: 1 },
];
const RECORD = {
  ...{ version: 1, run: 'r1', startedAt: 1, host: 'h', pid: 1, specDir: 'ralph', baseline: [], maxIterations: 3 },
  ended: null,
};
const STREAM = {
  ...{ version: 1, stream: 's', specDir: 'ralph', branch: 'b', base: { branch: null, commit: 'c' } },
  ...{ prepared: true, createdAt: 1 },
};

/** What comes of reading: the value, or the error, which has to be the documented one. */
async function outcomeOf<T>(read: () => Promise<T>): Promise<T | 'refused'> {
  try {
    return await read();
  } catch (error) {
    expect(error).toBeInstanceOf(StateError);
    expect((error as StateError).message).not.toBe('');
    return 'refused';
  }
}

/** Damaged files are kept aside, and the more there are the longer it takes to name the next. */
function freshIn(root: string, n: number, folder = ''): string {
  mkdirSync(`${root}/${n}/${folder}`, { recursive: true });
  return `${root}/${n}`;
}

describe('a damaged file of the state', () => {
  test('gives a journal entry of a known phase, or one error that names the file', async () => {
    const root = await tempTree();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(mangled(JOURNALS), async (text) => {
        const dir = freshIn(root, n++, 'journal');
        writeFileSync(`${dir}/journal/lane-0.json`, text);
        const entry = await outcomeOf(() => readJournal(dir));
        if (entry === 'refused' || entry === null) return;
        expect(PHASES).toContain(entry.phase);
        expect([typeof entry.run, typeof entry.story]).toEqual(['string', 'string']);
        expect(Number.isFinite(entry.iteration) && Number.isFinite(entry.startedAt)).toBe(true);
      }),
      { numRuns: runs(RUNS) },
    );
  });

  test('gives ledger lines of known kinds, or one error that names the line', async () => {
    const dir = await tempTree();
    const kinds = ['iteration', 'reset', 'circuit-reset', 'addition', 'waiver', 'answer'];
    await fc.assert(
      fc.asyncProperty(fc.array(mangled(LEDGER), { maxLength: 3 }), async (lines) => {
        writeFileSync(`${dir}/ledger.jsonl`, lines.map((line) => `${line}\n`).join(''));
        const ledger = await outcomeOf(() => readLedger(dir));
        if (ledger !== 'refused') for (const line of ledger) expect(kinds).toContain(line.kind);
        await outcomeOf(() => readArchives(dir));
      }),
      { numRuns: runs(RUNS) },
    );
  });

  test.each([
    ['run record', 'run.json', RECORD, readRunRecord],
    ['stream file', 'stream.json', STREAM, readStreamFile],
  ] as const)('gives a %s whose fields are of their types, or one error', async (_, file, whole, read) => {
    const root = await tempTree();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(mangled([whole]), async (text) => {
        const dir = freshIn(root, n++);
        writeFileSync(`${dir}/${file}`, text);
        const value = (await outcomeOf<unknown>(() => read(dir))) as Record<string, unknown> | null | 'refused';
        if (value === 'refused' || value === null) return;
        for (const [field, sound] of Object.entries(whole)) {
          if (sound !== null && !Array.isArray(sound)) expect(typeof value[field]).toBe(typeof sound);
          if (typeof sound === 'number') expect(Number.isFinite(value[field])).toBe(true);
        }
      }),
      { numRuns: runs(RUNS) },
    );
  });

  test('that only helps is passed over without a word', async () => {
    const dir = await tempTree();
    await makeDir(`${dir}/.ralph/state`);
    const marker = { run: 'r1', heartbeat: new Date(0).toISOString(), pid: 1, host: 'h', story: 'A' };
    const status = { version: 2, run: 'r1', stories: { total: 1 }, state: 'running', mode: null };
    const request = { at: '2026-01-01', run: 'r1', story: 'A', branch: null, title: 't', body: 'b' };
    const archive = { version: 1, folder: 'f', phase: 'copying' };
    await fc.assert(
      fc.asyncProperty(
        mangled([marker, status, request, archive, { handled: 'b', upTo: '2026', url: '' }]),
        async (text) => {
          writeFileSync(`${dir}/.ralph-active`, text);
          writeFileSync(`${dir}/.ralph/status.json`, text);
          writeFileSync(`${dir}/.ralph/state/merge-requests.jsonl`, `${text}\n`);
          writeFileSync(`${dir}/archive.json`, text);
          await Promise.all([readMarker(dir), readStatus(dir), readArchiveJournal(dir)]);
          for (const { title, body } of await openMergeRequests(dir, 'b')) {
            expect([typeof title, typeof body]).toEqual(['string', 'string']);
          }
        },
      ),
      { numRuns: runs(RUNS) },
    );
  });
});
