import type { Checkpoint, UserIntervention } from '../adapters/git/index.ts';
import { appendLedger, ledgerText, writeJournal } from '../adapters/workspace/index.ts';
import { GitRefusal, type IterationHeader, type JournalEntry, type LedgerIteration } from '../contracts/index.ts';
import { crashpoint } from '../platform/index.ts';
import { interruptedLine } from '../rules/judge/index.ts';
import { rescueName, shellWord } from '../rules/text/index.ts';
import type { RunContext } from './context.ts';
import { restorePrecious } from './protect/precious.ts';
import { hiddenOf, restoreNames } from './protect/protected-names.ts';

/** Ledger first, journal last: a crash between the two repeats a line, which the ledger then refuses. */
export async function close(context: RunContext, entry: JournalEntry, line: LedgerIteration): Promise<void> {
  const isNew = await appendLedger(context.git.repo.stateDir, line, context.ledger);
  // As read from the file: a few words cut out of an agent's answer would keep all of it in memory.
  if (isNew) context.ledger.push(JSON.parse(ledgerText(line)) as LedgerIteration);
  crashpoint('ledger-written');
  await writeJournal(context.git.repo.stateDir, { ...headerOf(entry), phase: 'done', verdict: line.verdict });
  crashpoint('done');
}

/** The part of a journal entry that every phase shares. */
function headerOf(entry: JournalEntry): IterationHeader {
  const { version, run, iteration, mode, story, attempt, startedAt, checkpoint, trust, names, spec, precious } = entry;
  return {
    version,
    run,
    iteration,
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

/** A merge or rebase still under way after this waits for a person, not for its command to finish. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 500;

/**
 * What a person did in the git dir since the checkpoint that takes precedence over the loop. An operation under way
 * gets a short wait: most git commands take moments.
 * @param checkpoint null before there is one: then only an operation under way is looked for
 * @param also commits of this iteration to which the branch may point
 */
export async function userIntervention(
  { git, clock, signal, emit }: Pick<RunContext, 'git' | 'clock' | 'signal' | 'emit'>,
  iteration: number,
  checkpoint: Checkpoint | null,
  also: readonly string[] = [],
): Promise<UserIntervention | null> {
  let turn = await git.userIntervention(checkpoint, also);
  const until = clock.now() + PATIENCE_MS;
  for (
    let isAnnounced = false;
    turn?.kind === 'operation' && clock.now() < until && !signal.aborted;
    isAnnounced = true
  ) {
    if (!isAnnounced) {
      const text = `Your ${turn.name} is in progress: waiting ${PATIENCE_MS / 1000} seconds for it to end.`;
      emit(iteration, { type: 'notice', level: 'info', text });
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
    turn = await git.userIntervention(checkpoint, also);
  }
  return turn;
}

/**
 * Gives way to a person: the work is kept in a rescue and, unless a git operation is under way in the work tree, taken
 * out of it, so that the person finds their own files and no work counts as done that is not on the branch. The
 * iteration is closed without a mark.
 * @param left tree of the work tree, and head, as the iteration left them
 * @returns the error that ends the run
 */
export async function giveWayToUser(
  context: RunContext,
  entry: JournalEntry,
  turn: UserIntervention,
  left: { readonly tree: string; readonly head: string },
): Promise<GitRefusal> {
  const checkpoint = entry.checkpoint as Checkpoint;
  const reason = reasonFor(turn, checkpoint);
  const rescue = await context.agentTree.keep(entry, left, reason);
  if (turn.kind !== 'operation') await context.git.takeOut(checkpoint, left.tree);
  if (entry.names !== undefined) await restoreNames(context, hiddenOf(entry), entry, checkpoint);
  await restorePrecious(context, { ...entry, head: checkpoint.head }, false);
  await context.agentTree.dropGuest();
  await close(context, entry, interruptedLine(entry, { reason, rescue, diffStat: null }));
  return refusal(turn, checkpoint, rescue);
}

function reasonFor(turn: UserIntervention, { branch }: Pick<Checkpoint, 'branch'>): string {
  switch (turn.kind) {
    case 'operation':
      return `your ${turn.name} is in progress`;
    case 'switched':
      return `you switched from ${nameOf(branch)} to ${nameOf(turn.to)}`;
    case 'moved':
      return `${nameOf(branch)} was moved by another process`;
  }
}

function nameOf(branch: string | null): string {
  return branch === null ? 'a detached HEAD' : branch.replace(/^refs\/heads\//, '');
}

/**
 * Before an iteration, when no agent could have started one: checks that no git operation is under way.
 * @throws GitRefusal
 */
export async function refuseTurn(context: RunContext, iteration: number): Promise<void> {
  if (!context.isolation.coversGitDir) return;
  const turn = await userIntervention(context, iteration, null);
  if (turn !== null) throw refusal(turn, { branch: null, head: '' }, null);
}

/** All iterations work on the branch that the first one found. @throws GitRefusal */
export function refuseOtherBranch(context: RunContext, { branch, head }: Checkpoint): void {
  const before = context.branch === undefined ? branch : context.branch;
  context.branch = before;
  if (before !== branch) throw refusal({ kind: 'switched', to: branch }, { branch: before, head }, null);
}

/** @param rescue of the agent's work; null when there was none */
function refusal(
  turn: UserIntervention,
  checkpoint: Pick<Checkpoint, 'branch' | 'head'>,
  rescue: string | null,
): GitRefusal {
  const kept = rescue === null ? [] : [`the agent's work is kept: ralph rescue show ${rescueName(rescue)}`];
  const { branch, head } = checkpoint;
  switch (turn.kind) {
    case 'operation':
      return new GitRefusal({
        what: `the run stopped: ${reasonFor(turn, checkpoint)}`,
        where: turn.file,
        why: 'an iteration would interfere with it',
        fix: [...turn.ways, 'then start ralph run again', ...kept],
      });
    case 'switched':
      return new GitRefusal({
        what: `the run stopped: ${reasonFor(turn, checkpoint)}`,
        where: `it works on ${nameOf(branch)}`,
        why: 'its commits belong there; your branch is left unchanged',
        fix: [
          `git switch ${branch === null ? head : shellWord(nameOf(branch))}, then start ralph run again`,
          'ralph run --worktree works in its own folder',
          ...kept,
        ],
      });
    case 'moved':
      return new GitRefusal({
        what: `the run stopped: ${reasonFor(turn, checkpoint)}`,
        where: `${head.slice(0, 12)} was expected there, ${turn.to.slice(0, 12) || 'nothing'} is`,
        why: 'what it had judged is no longer there',
        fix: ['start ralph run again: it continues from the current branch', ...kept],
      });
  }
}
