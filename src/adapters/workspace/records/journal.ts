import { JOURNAL_VERSION, type JournalEntry } from '../../../contracts/state/journal.ts';
import { writePrivate } from '../../../platform/files/private.ts';
import { readStateFile, type StateFileKind, wrongField } from './state-file.ts';

const HEADER = {
  run: 'string',
  iteration: 'number',
  lane: 'number',
  mode: 'string',
  story: 'string',
  attempt: 'number',
  startedAt: 'number',
  checkpoint: 'object',
  trust: 'object',
} as const;

/** What each phase adds to the header. */
const PHASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  checkpointed: {},
  'agent-ended': { outcome: 'object', afterTree: 'string' },
  planned: { plan: 'object' },
  done: { verdict: 'string' },
};

const PLAN = {
  verdict: 'string',
  rollBack: 'boolean',
  agentHead: 'string',
  afterTree: 'string',
  files: 'object',
  ledger: 'object',
} as const;

const KIND: StateFileKind = {
  name: 'journal',
  version: JOURNAL_VERSION,
  wrongField: wrongJournalField,
  mend: '`git status` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run goes on without this journal',
};

/**
 * The last journalled phase of a lane's iteration; null when the lane has none.
 * @throws StateError when it is unreadable (the original is kept aside) or of a later version.
 */
export async function readJournal(stateDir: string, lane: number): Promise<JournalEntry | null> {
  return (await readStateFile(journalPath(stateDir, lane), KIND)) as JournalEntry | null;
}

/** Whether a crash cut an iteration off that has not been recovered from yet. */
export async function isCutOff(stateDir: string): Promise<boolean> {
  const entry = await readJournal(stateDir, 0).catch(() => null);
  return entry !== null && entry.phase !== 'done';
}

/** Replaces the entry of its lane, atomically and fsynced: after a crash it is the old one or the new one. */
export async function writeJournal(stateDir: string, entry: JournalEntry): Promise<void> {
  await writePrivate(journalPath(stateDir, entry.lane), `${JSON.stringify(entry)}\n`);
}

function journalPath(stateDir: string, lane: number): string {
  return `${stateDir}/journal/lane-${lane}.json`;
}

function wrongJournalField(value: Readonly<Record<string, unknown>>): string | null {
  const name = String(value['phase']);
  // `constructor` is something to every object, and no phase.
  const phase = Object.hasOwn(PHASES, name) ? PHASES[name] : undefined;
  if (phase === undefined) return 'phase';
  const wrong = wrongField(value, { ...HEADER, ...phase });
  if (wrong !== null || value['phase'] !== 'planned') return wrong;
  const inPlan = wrongField(value['plan'] as Record<string, unknown>, PLAN);
  return inPlan === null ? null : `plan.${inPlan}`;
}
