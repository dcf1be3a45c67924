import {
  anyObject,
  byName,
  JOURNAL_VERSION,
  type JournalEntry,
  number,
  object,
  text,
  truth,
} from '../../../contracts/index.ts';
import { list, lockHolder, readText, writePrivate } from '../../../platform/index.ts';
import { readStateFile, type StateFileKind } from './state-file.ts';

const HEADER = {
  run: text,
  iteration: number,
  mode: text,
  story: text,
  attempt: number,
  startedAt: number,
  checkpoint: anyObject,
  trust: anyObject,
};

const PLAN = object({
  verdict: text,
  rollBack: truth,
  agentHead: text,
  afterTree: text,
  files: anyObject,
  ledger: anyObject,
});

const SHAPE = byName('phase', {
  checkpointed: HEADER,
  'agent-ended': { ...HEADER, outcome: anyObject, afterTree: text },
  planned: { ...HEADER, plan: PLAN },
  done: { ...HEADER, verdict: text },
});

const KIND: StateFileKind = {
  name: 'journal',
  version: JOURNAL_VERSION,
  shape: SHAPE,
  fix: '`git status` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run continues without this journal',
};

/**
 * The last journalled phase of an iteration; null when there is none.
 * @throws StateError when it is unreadable (the original is set aside) or of a later version.
 */
export async function readJournal(stateDir: string): Promise<JournalEntry | null> {
  return (await readStateFile(journalPath(stateDir), KIND)) as JournalEntry | null;
}

/** Whether a crash interrupted an iteration that has not been recovered from yet. */
export async function isCutOff(stateDir: string): Promise<boolean> {
  const entry = await readJournal(stateDir).catch(() => null);
  return entry !== null && entry.phase !== 'done';
}

/** Replaces the entry, atomically and fsynced: after a crash it is the old one or the new one. */
export async function writeJournal(stateDir: string, entry: JournalEntry): Promise<void> {
  await writePrivate(journalPath(stateDir), `${JSON.stringify(entry)}\n`);
}

function journalPath(stateDir: string): string {
  return `${stateDir}/journal/lane-0.json`;
}

/**
 * The current iterations of live runs in the repository's other work trees. Unreadable entries are left out: the run
 * they belong to handles them.
 */
export async function siblingJournals(repo: {
  readonly commonDir: string;
  readonly stateDir: string;
}): Promise<readonly JournalEntry[]> {
  const linked = (await list(`${repo.commonDir}/worktrees`)).map((name) => `${repo.commonDir}/worktrees/${name}`);
  const states = [repo.commonDir, ...linked].map((gitDir) => `${gitDir}/ralph`).filter((dir) => dir !== repo.stateDir);
  const entries = await Promise.all(states.map(underWay));
  return entries.filter((entry) => entry !== null);
}

async function underWay(stateDir: string): Promise<JournalEntry | null> {
  // The lock file is emptied on release: most work trees are skipped after one short read.
  if (!(await readText(`${stateDir}/lock`))) return null;
  const entry = await readJournal(stateDir).catch(() => null);
  if (entry === null || entry.phase === 'done') return null;
  return (await lockHolder(`${stateDir}/lock`)) === null ? null : entry;
}
