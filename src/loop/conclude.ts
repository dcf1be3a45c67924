import type { Checkpoint } from '../adapters/git/port.ts';
import { writeFiles } from '../adapters/workspace/backlog/document.ts';
import { writeJournal } from '../adapters/workspace/records/journal.ts';
import { appendLedger } from '../adapters/workspace/records/ledger.ts';
import { RalphError } from '../contracts/errors.ts';
import type { IterationHeader, JournalEntry } from '../contracts/state/journal.ts';
import type { LedgerIteration } from '../contracts/state/ledger.ts';
import { crashpoint } from '../platform/crashpoint.ts';
import { attemptsOf } from '../rules/safeguards/attempts.ts';
import { questionsOf } from '../rules/safeguards/questions.ts';
import type { RunContext } from './context.ts';
import { restorePrecious } from './keep/precious.ts';

type Planned = Extract<JournalEntry, { phase: 'planned' }>;

/**
 * Carries out a plan that the journal already holds; doing it twice changes nothing. Order: work tree, the loop's
 * files, branch, ledger, journal. Throws when the branch is neither where the plan found it nor where it puts it.
 */
export async function conclude(context: RunContext, entry: Planned): Promise<void> {
  const { git } = context;
  const { plan, iteration } = entry;
  const checkpoint = entry.checkpoint as Checkpoint;
  announceVerdict(context, entry, plan.ledger);
  if (plan.rollBack) {
    await git.rollback(checkpoint);
    crashpoint('rolled-back');
  }
  await restorePrecious(context, { ...entry, head: checkpoint.head }, plan.rollBack);
  if (plan.rollBack) context.emit(iteration, { type: 'rollback', rescue: plan.rescue, files: plan.rescuedFiles });
  await writeFiles(git.repo.root, plan.files);
  crashpoint('files-written');
  if (plan.commit) {
    const agentHead = plan.rollBack ? checkpoint.head : plan.agentHead;
    const applied = await git.applyCommit({ checkpoint, commit: plan.commit, agentHead });
    if (applied === 'moved-by-someone') throw await standAside(context, entry, plan.commit);
    crashpoint('committed');
    const { commitFiles: files, agentCommits, ledger } = plan;
    context.emit(iteration, {
      type: 'commit',
      commit: plan.commit,
      subject: ledger.subject ?? '',
      files,
      agentCommits,
    });
  }
  await close(context, entry, plan.ledger);
  announceState(context, entry, plan.ledger);
}

function announceVerdict(context: RunContext, { iteration }: JournalEntry, line: LedgerIteration): void {
  const { verdict, mode, story, reason, counts, state } = line;
  const attempts = attemptsOf([...context.ledger, line], story);
  if (line.falseCompletion) {
    context.emit(iteration, { type: 'false-completion', storiesLeft: line.falseCompletion, by: 'promise' });
  }
  if (line.signals) context.emit(iteration, { type: 'signals', signals: line.signals });
  context.emit(iteration, { type: 'verdict', verdict, mode, story, claim: state, reason, counts, attempts });
}

function announceState(context: RunContext, { iteration, mode }: JournalEntry, line: LedgerIteration): void {
  const { story, state, blocked, durationMs, costUsd } = line;
  const to = blocked === null ? state : 'blocked';
  for (const { id, text } of questionsOf([line])) {
    context.emit(iteration, { type: 'question', question: id, story, text });
  }
  if (to !== null)
    context.emit(iteration, { type: 'story', story, from: STATE_BEFORE[mode], to, reason: blocked ?? '' });
  context.emit(iteration, { type: 'iteration-end', durationMs, costUsd });
}

/** The review state a story is in when its iteration starts follows from the mode. */
const STATE_BEFORE = { implement: 'open', review: 'needs_review', 'review-fix': 'changes_requested' } as const;

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
  const { version, run, iteration, lane, mode, story, attempt, startedAt, checkpoint, trust, names, precious } = entry;
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
    ...(precious ? { precious } : {}),
  };
}

/** Somebody else moved the branch: the work is kept, the iteration is closed without a mark, and the run stops. */
export async function standAside(context: RunContext, entry: Planned, commit: string): Promise<RalphError> {
  const { plan, iteration } = entry;
  const checkpoint = entry.checkpoint as Checkpoint;
  const rescue = await context.git.rescue({
    run: entry.run,
    iteration,
    tree: plan.afterTree,
    parents: [commit],
    subject: `rescue(${plan.ledger.story}): the branch was moved by someone else`,
    date: context.clock.now(),
  });
  const reason = 'somebody else moved the branch before the work could be committed';
  await close(context, entry, {
    ...plan.ledger,
    verdict: 'interrupted',
    counts: 'ignored',
    stateChanged: false,
    state: null,
    blocked: null,
    commit: null,
    subject: null,
    workFiles: 0,
    reason,
    rescue: rescue.ref,
  });
  return new RalphError({
    what: `The branch ${checkpoint.branch ?? 'HEAD'} was moved while iteration ${iteration} was being concluded`,
    where: `expected ${checkpoint.head.slice(0, 12)} there`,
    why: 'somebody else may be working on it, and ralph never overwrites what it did not write',
    mend: [
      `the work is kept: ralph rescue show ${rescue.name}`,
      'decide what the branch should hold, then start ralph run again',
    ],
  });
}
