import type { AfterState, Checkpoint, CommitOutcome } from '../adapters/git/index.ts';
import type { Plan } from '../contracts/index.ts';
import { valueWithoutSecrets, withoutNewSecrets } from '../platform/index.ts';
import type { Evidence, Outcome, Refusal } from '../rules/judge/index.ts';
import { isProtectedPath } from '../rules/trust/index.ts';
import type { Ended, RunContext } from './context.ts';
import { hookRunner } from './inside/inside.ts';
import { ridesAlong } from './protect/loop-files.ts';
import { committedOf } from './protect/snapshot.ts';
import { keepUsersFiles, noteUserCommits, type UserCommits, userCommits } from './protect/user-work.ts';

/** A plan that can be carried out from the journal, or new evidence that has to be judged too. */
type Prepared = { readonly plan: Plan } | { readonly more: Partial<Evidence> };

/**
 * Prepares an outcome so that it can be carried out: the rescue, the commit, the bytes of the loop's files. May create
 * refs and objects; the work tree and the branch stay unchanged.
 */
export async function prepare(
  context: RunContext,
  ended: Ended,
  evidence: Evidence,
  outcome: Outcome,
): Promise<Prepared> {
  const { rollBack } = outcome;
  if (rollBack && evidence.kept === null) return { more: { kept: await keepWork(context, ended, evidence, outcome) } };
  const byUser = await userCommits(context, ended);
  const files = withoutSecretsIn(outcome.files, evidence);
  const { parent, made } = await makeCommit(context, ended, outcome, { files, byUser });
  if (made?.kind === 'hook-failed' || made?.kind === 'holds-secrets') {
    const refusal = toRefusal(made);
    if (refusal.kind === 'hook') {
      context.emit(ended.header.iteration, { type: 'check', result: refusal.check, baselineRed: false });
    }
    return { more: { refusals: [...evidence.refusals, refusal] } };
  }
  for (const event of outcome.events) context.emit(ended.header.iteration, event);
  if (byUser) await noteUserCommits(context, ended, byUser, parent !== undefined);
  const commit = made?.kind === 'prepared' ? made : null;
  const ledger = valueWithoutSecrets(outcome.ledger);
  const putBack = rollBack ? [] : await keepUsersFiles(context, ended);
  const plan: Plan = {
    verdict: ledger.verdict,
    rollBack,
    commit: commit?.commit ?? null,
    commitFiles: commit?.files ?? 0,
    agentHead: branchHead(ended.checkpoint, ended.after),
    agentCommits: evidence.agentCommits?.ref ?? null,
    afterTree: evidence.tree,
    rescue: ledger.rescue,
    rescuedFiles: ledger.rescue && rollBack ? ended.after.changed.length : 0,
    files,
    held: commit?.holds ?? [],
    ...(putBack.length > 0 ? { putBack } : {}),
    ledger:
      commit === null || outcome.commit === null
        ? ledger
        : { ...ledger, commit: commit.commit, subject: outcome.commit.subject, workFiles: outcome.commit.paths.length },
  };
  return { plan };
}

/** Where the checkpoint's branch is now, wherever the agent moved HEAD. */
function branchHead(checkpoint: Checkpoint, after: AfterState): string {
  if (checkpoint.branch === null || after.branch === checkpoint.branch) return after.head;
  return after.movedRefs[checkpoint.branch]?.[1] ?? checkpoint.head;
}

/** Work is removed from the work tree only once it is under a rescue ref. */
async function keepWork(
  context: RunContext,
  { header, checkpoint, outcome, after }: Ended,
  { rescue: earlier, tree }: Evidence,
  { ledger }: Outcome,
): Promise<NonNullable<Evidence['kept']>> {
  const left = { tree, head: after.head };
  const rescue =
    earlier ?? (await context.agentTree.keep(header, left, ledger.reason)) ?? outcome.session?.rescue ?? null;
  return { rescue, diffStat: rescue && (await context.git.diffStat(checkpoint.tree, tree, 20)) };
}

interface Made {
  /** Null when there is no commit to make. */
  readonly made: CommitOutcome | null;
  /** The commit's parent, where that is not the checkpoint. */
  readonly parent?: string;
}

async function makeCommit(
  context: RunContext,
  ended: Ended,
  { commit, rollBack }: Outcome,
  { files, byUser }: { readonly files: Plan['files']; readonly byUser: UserCommits | null },
): Promise<Made> {
  if (commit === null) return { made: null };
  const { git, config, isolation } = context;
  const { header, checkpoint, outcome } = ended;
  const { runsHooks, ...message } = commit;
  const parent = rollBack ? {} : await parentOf(context, ended, byUser);
  const request = {
    ...message,
    checkpoint,
    files: committedOf(files, header.spec),
    date: outcome.endedAt,
    hooks: runsHooks,
    runHook: hookRunner(context),
    guestHooks: isolation.coversGitDir,
    sign: config.commit.sign,
    ...parent,
  };
  const waiting = rollBack ? [] : await waitingSpec(context, ended);
  const made = await git.prepareCommit({ ...request, paths: [...new Set([...message.paths, ...waiting])] });
  // Neither is the agent's fault: without them it is judged by its own work.
  const isRefused = made.kind === 'hook-failed' || made.kind === 'holds-secrets';
  return { made: isRefused && waiting.length > 0 ? await git.prepareCommit(request) : made, ...parent };
}

/** Files of the spec folder that were not committed before the agent came: they go with the work. */
async function waitingSpec(
  { git, workspace }: Pick<RunContext, 'git' | 'workspace'>,
  { checkpoint: { head, tree } }: Pick<Ended, 'checkpoint'>,
): Promise<readonly string[]> {
  return (await git.changes(head, tree)).map(({ path }) => path).filter((path) => ridesAlong(workspace, path));
}

function toRefusal(made: Extract<CommitOutcome, { kind: 'hook-failed' | 'holds-secrets' }>): Refusal {
  if (made.kind === 'holds-secrets') return { kind: 'secrets', files: made.files };
  const { hook, output: tail } = made;
  const command = hook === null ? 'git add' : `git hook ${hook}`;
  const check = { command, ok: false, exitCode: 1, timedOut: false, durationMs: 0, tail };
  return { kind: 'hook', hook, check };
}

/**
 * An agent may have written a secret into any of the loop's files. Text from before the agent started is the person's,
 * and stays.
 */
function withoutSecretsIn(files: Outcome['files'], { before, places }: Evidence): Plan['files'] {
  const { document, progress } = before;
  const known = new Map([
    [places.progress, progress],
    ...(document
      ? ([
          [document.file, document.text],
          [document.reviewsFile, document.reviewsText],
        ] as const)
      : []),
  ]);
  const allowed = () => [...known.values()].join('\n');
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      text === null ? null : withoutNewSecrets(text, known.get(path) ?? '', allowed),
    ]),
  );
}

/** The parent of the iteration's commit: the checkpoint, a person's commits, or the agent's. */
async function parentOf(
  context: RunContext,
  ended: Ended,
  byUser: UserCommits | null,
): Promise<{ readonly parent?: string }> {
  if (context.config.commits === 'keep') return parentToKeep(context, ended);
  if (byUser === null) return {};
  if (byUser.base !== null) return { parent: byUser.base };
  const { checkpoint, after } = ended;
  return (await whyNotToKeep(context, checkpoint.head, after)) === null ? { parent: after.head } : {};
}

/**
 * With `commits: keep` the agent's own commits stay on the branch if they continue from the checkpoint and hold only
 * its changes: never a rewritten branch, a user's file that `git add -A` included, or a secret.
 */
async function parentToKeep(
  context: RunContext,
  { header, checkpoint, after }: Ended,
): Promise<{ readonly parent?: string }> {
  if (after.head === checkpoint.head) return {};
  const why = await whyNotToKeep(context, checkpoint.head, after);
  if (why === null) return { parent: after.head };
  const text = `The agent's commits were squashed into one, because ${why}.`;
  const fix = `the original commits: refs/ralph/iterations/${header.run}/${header.iteration}`;
  context.emit(header.iteration, { type: 'notice', level: 'warning', text, fix });
  return {};
}

async function whyNotToKeep(
  { git, workspace }: Pick<RunContext, 'git' | 'workspace'>,
  from: string,
  after: Pick<AfterState, 'head' | 'changed'>,
): Promise<string | null> {
  if (!(await git.descends(after.head, from))) return 'they rewrite earlier history';
  const paths = (await git.changes(from, after.head)).map(({ path }) => path);
  // The work tree has them back by now, but the commit would not.
  if (paths.some((path) => isProtectedPath(workspace, path))) return 'they change files that agents may not change';
  const changed = new Set(after.changed.map(({ path }) => path));
  const foreign = paths.filter((path) => !changed.has(path));
  if (foreign.length > 0) return `they contain files that it did not change (${foreign.join(', ')})`;
  return (await git.secretsBetween(from, after.head)) ? 'they contain a secret of the run' : null;
}
