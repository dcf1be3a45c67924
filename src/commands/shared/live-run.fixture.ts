import { onTestFinished } from 'vitest';
import type { Repository } from '../../../test/support/command-repository.ts';
import { acquireRunLock, appendLedger, readSteering, writeRunRecord } from '../../adapters/workspace/index.ts';
import type { LedgerLine, RunRecord } from '../../contracts/index.ts';
import { aLine } from '../../rules/safeguards/ledger.fixture.ts';

export const LIVE_RUN = '20261122-030000-abcd';

export function stateDirOf(repo: Repository): string {
  return `${repo.root}/.git/ralph`;
}

/** Holds the lock and writes the record, as a run that is under way does, until the test ends. */
export async function startLiveRun(repo: Repository, record: Partial<RunRecord> = {}): Promise<void> {
  const holder = { pid: process.pid, host: 'night', startedAt: '2026-11-22T03:00:00Z', run: LIVE_RUN };
  const lock = await acquireRunLock(stateDirOf(repo), holder);
  onTestFinished(() => lock.release());
  await writeLiveRecord(repo, record);
}

export async function writeLiveRecord(repo: Repository, record: Partial<RunRecord> = {}): Promise<void> {
  await writeRunRecord(stateDirOf(repo), {
    version: 1,
    run: LIVE_RUN,
    startedAt: Date.UTC(2026, 10, 22, 3),
    host: 'night',
    pid: process.pid,
    specDir: 'ralph',
    baseline: [],
    maxIterations: 15,
    ended: null,
    ...record,
  });
}

export async function writeLedger(repo: Repository, ...lines: readonly LedgerLine[]): Promise<void> {
  for (const line of lines) await appendLedger(stateDirOf(repo), line);
}

/** An iteration that set its story aside with a question. */
export function anAsked(question: string, story: string, iteration: number): LedgerLine {
  const startedAt = Date.UTC(2026, 10, 22, 3, iteration);
  return aLine({ run: LIVE_RUN, iteration, story, blocked: question, startedAt, stateChanged: true });
}

/** What was said to the run, without what differs from test to test. */
export async function saidTo(repo: Repository): Promise<readonly object[]> {
  const entries = await readSteering(stateDirOf(repo));
  return entries.map(({ id: _id, at: _at, version: _version, ...said }) => said);
}
