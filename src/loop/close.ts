import { writeJournal } from '../adapters/workspace/records/journal.ts';
import { appendLedger } from '../adapters/workspace/records/ledger.ts';
import { NO_USAGE } from '../contracts/model.ts';
import type { AtWork, IterationHeader, JournalEntry } from '../contracts/state/journal.ts';
import { LEDGER_VERSION, type LedgerIteration } from '../contracts/state/ledger.ts';
import { crashpoint } from '../platform/crashpoint.ts';
import type { RunContext } from './context.ts';

/** Ledger first, journal last: a crash between the two repeats a line that the ledger then refuses. */
export async function close(context: RunContext, entry: JournalEntry, line: LedgerIteration): Promise<void> {
  await appendLedger(context.git.repo.stateDir, line);
  const known = context.ledger.some(
    (old) => old.kind === 'iteration' && old.run === line.run && old.iteration === line.iteration,
  );
  if (!known) context.ledger.push(line);
  crashpoint('ledger-written');
  await writeJournal(context.git.repo.stateDir, { ...headerOf(entry), phase: 'done', verdict: line.verdict });
  crashpoint('done');
}

/** The part of a journal entry that every phase shares. */
function headerOf(entry: JournalEntry): IterationHeader {
  const { version, run, iteration, lane, mode, story, attempt, startedAt, checkpoint, trust, names, spec, precious } =
    entry;
  return {
    version,
    run,
    iteration,
    lane,
    mode,
    story,
    attempt,
    startedAt,
    checkpoint,
    trust,
    ...(names ? { names } : {}),
    ...(spec ? { spec } : {}),
    ...(precious ? { precious } : {}),
  };
}

/** The line of an iteration of which nothing counts but its cost. */
export function interruptedLine(
  entry: JournalEntry,
  { reason, rescue, diffStat }: Pick<NonNullable<LedgerIteration['failure']>, 'reason' | 'rescue' | 'diffStat'>,
): LedgerIteration {
  return {
    version: LEDGER_VERSION,
    kind: 'iteration',
    run: entry.run,
    iteration: entry.iteration,
    story: entry.story,
    mode: entry.mode,
    verdict: 'interrupted',
    counts: 'ignored',
    stateChanged: false,
    state: null,
    blocked: null,
    reason,
    error: null,
    startedAt: entry.startedAt,
    durationMs: 0,
    model: null,
    ...workOf(entry),
    commit: null,
    subject: null,
    workFiles: 0,
    rescue,
    checks: [],
    violations: [],
    failure: { reason, checks: [], rescue, diffStat },
  };
}

/** What the journal knows of the agent: its starts and its bill count although nothing came of them. */
function workOf(entry: JournalEntry): Pick<LedgerIteration, 'agent' | 'calls' | 'usage' | 'costUsd'> {
  if (entry.phase === 'planned') {
    const { agent, calls = [], usage, costUsd } = entry.plan.ledger;
    return { agent, calls, usage, costUsd };
  }
  const work: AtWork =
    entry.phase === 'agent-ended'
      ? { ...entry.outcome, usage: entry.outcome.result.usage, costUsd: entry.outcome.result.costUsd }
      : entry.phase === 'checkpointed'
        ? entry
        : {};
  const { agent = 'none', calls = [entry.startedAt], usage = NO_USAGE, costUsd = null } = work;
  return { agent, calls, usage, costUsd };
}
