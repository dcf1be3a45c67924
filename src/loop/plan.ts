import type { AfterState, CommitOutcome, HeldSecret } from '../adapters/git/port.ts';
import type { Violation } from '../contracts/model.ts';
import type { Plan } from '../contracts/state/journal.ts';
import type { Decision } from '../rules/safeguards/verdict.ts';
import { shellWord } from '../rules/shell-word.ts';
import type { RunContext } from './context.ts';
import { hookRunner } from './inside/inside.ts';
import { commitMessage } from './judge/commit-message.ts';
import { type Conclusion, concludeFrom } from './judge/conclusion.ts';
import type { Ended, Findings } from './judge/ended.ts';
import { ledgerLine, loopFileTexts } from './judge/records.ts';
import { committedOf } from './keep/ignored-spec.ts';
import { branchHead, keepTree } from './keep/keep.ts';
import { isProtected } from './keep/loop-files.ts';
import { keepMovedRefs } from './keep/moved-refs.ts';
import { type PersonsCommits, personsCommits, tellOfPersonsCommits } from './keep/persons-commits.ts';
import { keepUsersFiles } from './keep/users-files.ts';

/**
 * Turns a decision into the plan that conclude carries out: the bytes of the loop's files, the prepared commit, the
 * rescue. Refs and objects may be made here, the work tree and the branch stay as they are. A commit hook that fails
 * on work turns the decision into `rejected`, with its output as the reason.
 */
export async function planIteration(
  context: RunContext,
  ended: Ended,
  findings: Findings,
  decision: Decision,
): Promise<Plan> {
  const spare = !findings.violations.some(mustGo);
  const plan = await drawUp(context, ended, findings, concludeFrom(context, ended, findings, decision), { spare });
  if (plan.kind === 'plan') {
    if (plan.plan.rollBack) return plan.plan;
    const putBack = await keepUsersFiles(context, ended);
    return putBack.length === 0 ? plan.plan : { ...plan.plan, putBack };
  }
  if (plan.kind === 'holds-secrets') return withoutTheWork(context, ended, findings, plan.files);
  const rejected = rejection(`the commit hook ${plan.hook} refused the work`);
  const hookCheck = {
    command: `git hook ${plan.hook}`,
    ok: false,
    exitCode: 1,
    timedOut: false,
    durationMs: 0,
    tail: plan.output,
  };
  context.emit(ended.header.iteration, { type: 'check', result: hookCheck, baselineRed: false });
  const refused: Findings = { ...findings, failing: [...findings.failing, hookCheck] };
  return rolledBack(context, ended, refused, rejected);
}

/** No secret of the run may land in a commit: the work is kept in a rescue, which never leaves this machine. */
async function withoutTheWork(
  context: RunContext,
  ended: Ended,
  findings: Findings,
  files: readonly HeldSecret[],
): Promise<Plan> {
  const violations = files.map(({ path, names }): Violation => {
    const what = `${shellWord(path)} holds ${names.map(spoken).join(' and ')}`;
    const message = `${what}. No secret of the run may be committed, in no encoding: read it from the environment where it is needed.`;
    return { rule: 'secret', field: path, message };
  });
  for (const violation of violations) context.emit(ended.header.iteration, { type: 'violation', violation });
  const [first] = files;
  const more = files.length > 1 ? ` and ${files.length - 1} more files do, too` : '';
  const reason = `${first?.path} holds ${(first?.names ?? []).map(spoken).join(' and ')}${more}`;
  const refused: Findings = { ...findings, violations: [...findings.violations, ...violations] };
  return rolledBack(context, ended, refused, rejection(reason));
}

/** How a secret is spoken of, which is known by its variable or in words. */
function spoken(name: string): string {
  return name.includes(' ') ? name : `the value of ${name}`;
}

function rejection(reason: string): Decision {
  return { verdict: 'rejected', reason, counts: 'bad', action: 'roll-back', attemptDelta: 1 };
}

async function rolledBack(context: RunContext, ended: Ended, findings: Findings, decision: Decision): Promise<Plan> {
  const conclusion = concludeFrom(context, ended, findings, decision);
  const again = await drawUp(context, ended, findings, conclusion, { spare: !findings.violations.some(mustGo) });
  if (again.kind === 'plan') return again.plan;
  if (again.kind === 'holds-secrets') return withoutTheWork(context, ended, findings, again.files);
  throw new Error('a rolled-back iteration ran a commit hook');
}

/** What stays on no branch, not even with `--rollback never`: a secret, and a tree without accepted work. */
function mustGo({ rule }: Violation): boolean {
  return rule === 'secret' || rule === 'history-lost';
}

type Drawn = { readonly kind: 'plan'; readonly plan: Plan } | Exclude<CommitOutcome, { kind: 'prepared' | 'empty' }>;

/** @param may `spare`: `--rollback never` may keep the work as a commit */
async function drawUp(
  context: RunContext,
  ended: Ended,
  findings: Findings,
  concluded: Conclusion,
  may: { readonly spare: boolean } = { spare: true },
): Promise<Drawn> {
  const { git, config } = context;
  const { header, checkpoint, outcome, after } = ended;
  const { decision } = concluded;
  // `--rollback never` keeps what would be taken back as a wip commit, so that the next iteration builds on it.
  const spared =
    may.spare && decision.action === 'roll-back' && config.rollback === 'never' && header.mode !== 'review';
  const commits = decision.action === 'commit' || (spared && findings.work.length > 0);
  // A review's leftovers and an agent's stray index or commits go the same way as rejected work: rescued, rolled back.
  const leftovers = header.mode === 'review' && (findings.work.length > 0 || after.head !== checkpoint.head);
  const rollBack =
    (decision.action === 'roll-back' && !spared) || leftovers || (!commits && after.head !== checkpoint.head);
  const left = { tree: findings.tree, head: after.head };
  const rescue =
    findings.rescue ??
    (rollBack ? await keepTree(context, header, checkpoint, left, decision.reason) : null) ??
    outcome.desk?.rescue ??
    null;
  const diffStat = rescue && rollBack ? await git.diffStat(checkpoint.tree, findings.tree, 20) : null;
  const conclusion = { ...concluded, failure: concluded.failure && { ...concluded.failure, rescue, diffStat } };

  const ledger = ledgerLine(ended, findings, conclusion, rescue);
  const files = await loopFileTexts(context, ended, findings, conclusion, ledger);
  // Beside a sealed git dir it is people who move refs.
  if (!checkpoint.sealed) await keepMovedRefs(context, header, after);
  const agentCommits = await git.keepAgentCommits({
    run: header.run,
    iteration: header.iteration,
    checkpoint,
    agentHead: after.head,
  });
  const plan: Plan = {
    verdict: decision.verdict,
    rollBack,
    commit: null,
    commitFiles: 0,
    agentHead: branchHead(checkpoint, after),
    agentCommits: agentCommits?.ref ?? null,
    afterTree: findings.tree,
    rescue,
    rescuedFiles: rescue && rollBack ? after.changed.length : 0,
    files,
    ledger,
  };
  const persons = await personsCommits(context, ended);
  if (!commits) {
    if (persons && after.head !== checkpoint.head) await tellOfPersonsCommits(context, ended, persons, false);
    return { kind: 'plan', plan };
  }
  const parent = rollBack ? {} : await parentOf(context, ended, persons);

  const message = commitMessage(
    config,
    header,
    findings.story,
    conclusion.applied,
    decision,
    agentCommits?.messages ?? [],
  );
  const prepared = await git.prepareCommit({
    checkpoint,
    paths: rollBack ? [] : findings.work,
    files: committedOf(files, header.spec),
    ...message,
    date: outcome.endedAt,
    hooks: config.commit.verify && !rollBack && !spared && findings.work.length > 0,
    runHook: hookRunner(context),
    guestHooks: context.isolation.coversGitDir,
    sign: config.commit.sign,
    ...parent,
  });
  if (prepared.kind === 'hook-failed' || prepared.kind === 'holds-secrets') return prepared;
  if (persons) await tellOfPersonsCommits(context, ended, persons, parent.parent !== undefined);
  if (prepared.kind === 'empty') return { kind: 'plan', plan };
  const { commit } = prepared;
  return {
    kind: 'plan',
    plan: {
      ...plan,
      commit,
      commitFiles: prepared.files,
      ledger: { ...ledger, commit, subject: message.subject, workFiles: rollBack ? 0 : findings.work.length },
    },
  };
}

/** What the iteration's commit goes on: the checkpoint, the commits of a person, or those of the agent. */
async function parentOf(
  context: RunContext,
  ended: Ended,
  persons: PersonsCommits | null,
): Promise<{ readonly parent?: string }> {
  if (context.config.commits === 'keep') return parentToKeep(context, ended);
  if (persons === null) return {};
  if (persons.base !== null) return { parent: persons.base };
  const { checkpoint, after } = ended;
  return (await whyNotToKeep(context, checkpoint.head, after)) === null ? { parent: after.head } : {};
}

/**
 * With `commits: keep` the agent's own commits stay on the branch where they lead on from the checkpoint and hold
 * nothing but what it changed: never a rewritten branch, a file of the user's that `git add -A` swept along, or a secret.
 */
async function parentToKeep(
  context: RunContext,
  { header, checkpoint, after }: Ended,
): Promise<{ readonly parent?: string }> {
  if (after.head === checkpoint.head) return {};
  const why = await whyNotToKeep(context, checkpoint.head, after);
  if (why === null) return { parent: after.head };
  const text = `The agent's commits do not stay on the branch: ${why}. Its work is one commit instead.`;
  const mend = `as they were: refs/ralph/iterations/${header.run}/${header.iteration}`;
  context.emit(header.iteration, { type: 'notice', level: 'warning', text, mend });
  return {};
}

async function whyNotToKeep(
  { git, workspace }: RunContext,
  from: string,
  after: Pick<AfterState, 'head' | 'changed'>,
): Promise<string | null> {
  if (!(await git.descends(after.head, from))) return 'they rewrite what was there before';
  const paths = (await git.changes(from, after.head)).map(({ path }) => path);
  // The work tree has them back by now, the commit would not.
  if (paths.some((path) => isProtected(workspace, path))) return 'they change files that agents may not change';
  const changed = new Set(after.changed.map(({ path }) => path));
  const foreign = paths.filter((path) => !changed.has(path));
  if (foreign.length > 0) return `they hold files that it did not change (${foreign.join(', ')})`;
  return (await git.secretsBetween(from, after.head)) ? 'they hold a secret of the run' : null;
}
