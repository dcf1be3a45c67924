import type { Checkpoint } from '../adapters/git/index.ts';
import { writeFiles } from '../adapters/workspace/index.ts';
import type { JournalEntry, LedgerIteration } from '../contracts/index.ts';
import { crashpoint } from '../platform/index.ts';
import { attemptsOf, linesOf, questionsOf } from '../rules/safeguards/index.ts';
import { close, giveWayToUser, userIntervention } from './close.ts';
import type { RunContext } from './context.ts';
import { restorePrecious } from './protect/precious.ts';
import { putUsersFilesBack } from './protect/user-work.ts';

/**
 * Carries out a plan that the journal already holds; repeating it changes nothing. Sequence: work tree, the loop's
 * files and the branch, ledger, journal. Throws, with all of it undone, when a person did something meanwhile that takes
 * precedence.
 */
export async function apply(context: RunContext, entry: Extract<JournalEntry, { phase: 'planned' }>): Promise<void> {
  const { git } = context;
  const { plan, iteration } = entry;
  const checkpoint = entry.checkpoint as Checkpoint;
  const turn = await userIntervention(context, iteration, checkpoint, [plan.agentHead, plan.commit ?? '']);
  const left = { tree: plan.afterTree, head: plan.agentHead };
  if (turn !== null) throw await giveWayToUser(context, entry, turn, left);
  announceVerdict(context, entry, plan.ledger);
  if (plan.rollBack) {
    await git.rollback(checkpoint);
    crashpoint('rolled-back');
  }
  await restorePrecious(context, { ...entry, head: checkpoint.head }, plan.rollBack);
  if (plan.rollBack) context.emit(iteration, { type: 'rollback', rescue: plan.rescue, files: plan.rescuedFiles });
  // The disk is waited for while git works.
  const writing = writeFiles(git.repo.root, plan.files).then(() => crashpoint('files-written'));
  writing.catch(() => undefined);
  if (plan.commit) {
    const agentHead = plan.rollBack ? checkpoint.head : plan.agentHead;
    const applied = await git.applyCommit({ checkpoint, commit: plan.commit, agentHead }).finally(() => writing);
    if (applied === 'moved-by-someone') {
      const since = (await git.userIntervention(checkpoint, [])) ?? ({ kind: 'moved', to: '' } as const);
      throw await giveWayToUser(context, entry, since, { ...left, tree: await git.tree() });
    }
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
  await writing;
  if (plan.putBack) await putUsersFilesBack(context, iteration, checkpoint, plan.putBack);
  if (plan.commit && !plan.rollBack) await context.room?.accept(plan.afterTree);
  await close(context, entry, plan.ledger);
  announceState(context, entry, plan.ledger);
}

function announceVerdict(context: RunContext, { iteration }: JournalEntry, line: LedgerIteration): void {
  const { verdict, mode, story, reason, counts, state } = line;
  const attempts = attemptsOf([...linesOf(context.ledger, story), line], story);
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

/** The review state of a story at the start of its iteration follows from the mode. */
const STATE_BEFORE = { implement: 'open', review: 'needs_review', 'review-fix': 'changes_requested' } as const;
