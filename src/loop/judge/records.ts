import type { StoryEdit, StoryFields } from '../../contracts/model.ts';
import type { Plan } from '../../contracts/state/journal.ts';
import { LEDGER_VERSION, type LedgerIteration } from '../../contracts/state/ledger.ts';
import { valueWithoutSecrets, withoutSecrets } from '../../platform/secrets.ts';
import { editBacklog } from '../../rules/backlog/edit.ts';
import { mergeFindings, mergeReceipt } from '../../rules/backlog/reviews/reviews.ts';
import { isDone } from '../../rules/backlog/select.ts';
import { appendEntry, compact } from '../../rules/progress/entry.ts';
import { stoppedFromOutside } from '../../rules/safeguards/agent-end.ts';
import type { RunContext } from '../context.ts';
import type { Conclusion } from './conclusion.ts';
import type { Ended, Findings } from './ended.ts';
import { buildReceipt, durationOf } from './receipt.ts';

/** New text of backlog, reviews and progress log: the snapshot plus what is legal, plus the loop's own word. */
export async function loopFileTexts(
  context: RunContext,
  ended: Ended,
  findings: Findings,
  conclusion: Conclusion,
  ledger: LedgerIteration,
): Promise<Plan['files']> {
  const { header, snapshot, outcome } = ended;
  const { workspace, config } = context;
  const files: Record<string, string | null> = {};
  if (snapshot.document) {
    const fields: StoryFields = {
      ...conclusion.applied?.fields,
      ...(conclusion.blocked ? { blocked: conclusion.blocked } : {}),
    };
    const own: StoryEdit[] = Object.keys(fields).length > 0 ? [{ kind: 'set', id: header.story, fields }] : [];
    const edited = editBacklog(snapshot.document, [...findings.edits, ...own]);
    const done = conclusion.applied && fields.passes === true;
    const found = conclusion.applied === null ? undefined : findings.review?.memory.findings;
    const remembered = found ? mergeFindings(edited.reviewsText, header.story, found) : edited.reviewsText;
    const reviews = done
      ? mergeReceipt(remembered, await buildReceipt(context, ended, findings, conclusion.applied))
      : remembered;
    files[edited.file] = edited.text;
    if (reviews !== null) files[edited.reviewsFile] = reviews;
  }
  const entry = {
    iteration: header.iteration,
    date: outcome.endedAt,
    verdict: ledger.verdict,
    mode: header.mode,
    storyId: findings.story.safeId,
    title: findings.story.title,
    reason: ledger.reason,
    durationMs: ledger.durationMs,
    costUsd: ledger.costUsd,
    commits: conclusion.decision.action === 'commit' ? 1 : 0,
    checks: ledger.checks,
    rescue: ledger.rescue,
  };
  const progress = compact(appendEntry(findings.progress, entry), config.progress.keep);
  // Git has it too, but only where the log is tracked.
  if (progress.cut !== '') context.emit(header.iteration, { type: 'progress-compacted', text: progress.cut });
  files[workspace.progressPath] = progress.text;
  // An agent may have written into each of them. What was there before it came is the person's, and stays.
  const { document } = snapshot;
  const before = [document?.text, document?.reviewsText, snapshot.progress].join('\n');
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text === null ? null : withoutSecrets(text, before)]),
  );
}

/** The iteration's line in the ledger, before a commit is known. */
export function ledgerLine(
  ended: Ended,
  findings: Findings,
  { decision, applied, blocked, failure }: Conclusion,
  rescue: string | null,
): LedgerIteration {
  const { header, outcome } = ended;
  const agentStopped = stoppedFromOutside(outcome);
  return valueWithoutSecrets<LedgerIteration>({
    version: LEDGER_VERSION,
    kind: 'iteration',
    run: header.run,
    iteration: header.iteration,
    story: header.story,
    mode: header.mode,
    verdict: decision.verdict,
    counts: decision.counts,
    ...(decision.counts === 'bad' && decision.attemptDelta === 0 ? { uncharged: true as const } : {}),
    stateChanged: applied !== null,
    state: applied?.state ?? null,
    blocked,
    reason: decision.reason,
    error: outcome.result.error,
    startedAt: header.startedAt,
    durationMs: durationOf(ended, findings),
    costUsd: outcome.result.costUsd,
    usage: outcome.result.usage,
    agent: outcome.agent ?? 'none',
    model: outcome.model ?? null,
    commit: null,
    subject: null,
    workFiles: 0,
    rescue,
    checks: findings.checks.map(({ command, ok, exitCode, durationMs, tests }) => ({
      command,
      ok,
      exitCode,
      durationMs,
      ...(tests ? { tests } : {}),
    })),
    violations: findings.violations,
    ...(findings.review !== null && applied !== null ? { reviewed: ended.checkpoint.head } : {}),
    ...(findings.proof ? { proof: findings.proof } : {}),
    ...(outcome.calls ? { calls: outcome.calls } : {}),
    ...(outcome.outputChars === undefined ? {} : { outputChars: outcome.outputChars }),
    ...(outcome.result.limit ? { limit: outcome.result.limit } : {}),
    ...(outcome.overrun ? { overrun: outcome.overrun } : {}),
    ...(agentStopped ? { agentStopped } : {}),
    ...(outcome.steers ? { steers: outcome.steers } : {}),
    ...(findings.signals ? { signals: findings.signals } : {}),
    ...(findings.pluginNotes.length > 0 ? { pluginNotes: findings.pluginNotes } : {}),
    ...falseCompletionOf(ended, findings, applied),
    ...testsOf(findings),
    ...(findings.work.length > 0 ? { base: ended.checkpoint.head } : {}),
    ...(findings.tampering.length > 0 ? { tampering: findings.tampering } : {}),
    ...evidenceOf(findings, applied),
    ...(applied?.fields.passes && findings.weakened.accepted.length > 0
      ? { acceptedWeakenings: findings.weakened.accepted }
      : {}),
    failure,
  });
}

/** Whoever announces the end is told what is left; whether it really is the end, the loop alone knows. */
function falseCompletionOf(
  { snapshot }: Ended,
  { announced, story }: Findings,
  applied: Conclusion['applied'],
): Pick<LedgerIteration, 'falseCompletion'> {
  if (!announced) return {};
  const doneNow = applied?.fields.passes === true ? story.id : null;
  const left = (snapshot.document?.backlog.stories ?? []).filter((one) => !isDone(one) && one.id !== doneNow).length;
  return left === 0 ? {} : { falseCompletion: left };
}

/** What the review of a story that nothing was changed for has to look at. */
function evidenceOf({ claim }: Findings, applied: Conclusion['applied']): Pick<LedgerIteration, 'alreadyDone'> {
  return applied !== null && claim?.kind === 'ready' && claim.alreadyDone ? { alreadyDone: claim.alreadyDone } : {};
}

function testsOf({ tests }: Findings): Pick<LedgerIteration, 'tests'> {
  if (tests === null) return {};
  const { command, outcome, passed, failed } = tests;
  return { tests: { command, outcome, passed, failed } };
}
