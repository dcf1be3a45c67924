import {
  type AtWork,
  type EventBody,
  type FailureContext,
  type JournalEntry,
  LEDGER_VERSION,
  type LedgerIteration,
  NO_USAGE,
  type Signals,
  type StoryEdit,
  type StoryFields,
  type Violation,
} from '../../contracts/index.ts';
import {
  type AcceptedWeakening,
  type AppliedClaim,
  AWAITS_APPROVAL,
  editBacklog,
  isDone,
  mergeFindings,
  mergeReceipt,
} from '../backlog/index.ts';
import { addNotes, appendEntry, compact } from '../progress.ts';
import { stoppedFromOutside } from './agent-end.ts';
import type { Evidence, Outcome, StoryProof } from './evidence.ts';
import type { Heard } from './hear.ts';
import { buildReceipt, durationOf } from './receipt.ts';
import { cutOff, type Decision } from './verdict.ts';

/** A judged iteration: the source of its records, together with the evidence. */
export interface Judged {
  readonly heard: Heard;
  readonly decision: Decision;
  readonly applied: AppliedClaim | null;
  readonly blocked: string | null;
  readonly failure: FailureContext | null;
  readonly violations: readonly Violation[];
  /** Full ref of the removed work. */
  readonly rescue: string | null;
  /** The progress log with the agent's permitted additions. */
  readonly progress: string;
  readonly proof: StoryProof | null;
  /** Weakened tests that the claim accepts with a reason. */
  readonly accepted: readonly AcceptedWeakening[];
  readonly signals: Signals | null;
  /** The agent announced that the whole backlog is done. */
  readonly announced: boolean;
}

/** New text of backlog, reviews and progress log: the snapshot with the legal changes and the loop's own entries. */
export function loopFileTexts(
  evidence: Evidence,
  judged: Judged,
  line: LedgerIteration,
): { readonly files: Outcome['files']; readonly compacted: readonly EventBody[] } {
  const { header, before, agent, config, places } = evidence;
  const { heard, applied, blocked, decision, accepted, proof } = judged;
  const { story, review } = heard;
  const files: Record<string, string | null> = {};
  if (before.document) {
    const held: StoryFields = blocked === AWAITS_APPROVAL ? { passes: false, reviewStatus: 'needs_review' } : {};
    const fields: StoryFields = { ...applied?.fields, ...(blocked ? { blocked } : {}), ...held };
    const own: StoryEdit[] = Object.keys(fields).length > 0 ? [{ kind: 'set', id: header.story, fields }] : [];
    const edited = editBacklog(before.document, [...heard.edits, ...own]);
    const found = applied === null ? undefined : review?.memory.findings;
    const remembered = found ? mergeFindings(edited.reviewsText, header.story, found) : edited.reviewsText;
    const reviews =
      applied?.fields.passes === true
        ? mergeReceipt(remembered, buildReceipt(evidence, { story, applied, review, proof, accepted }))
        : remembered;
    files[edited.file] = edited.text;
    if (reviews !== null) files[edited.reviewsFile] = reviews;
  }
  const entry = {
    iteration: header.iteration,
    date: agent.endedAt,
    verdict: line.verdict,
    mode: header.mode,
    storyId: story.safeId,
    title: story.title,
    reason: line.reason,
    durationMs: line.durationMs,
    costUsd: line.costUsd,
    commits: decision.action === 'commit' ? 1 : 0,
    checks: line.checks,
    rescue: line.rescue,
  };
  const noted = addNotes(judged.progress, {
    heading: `${new Date(agent.endedAt).toISOString().slice(0, 10)} ${story.safeId} (${header.mode})`,
    notes: agent.session?.notes ?? [],
    patterns: agent.session?.patterns ?? [],
  });
  const { text, cut } = compact(appendEntry(noted, entry), config.progress.keep);
  files[places.progress] = text;
  // Git also keeps the removed text, but only if the log is tracked.
  return { files, compacted: cut === '' ? [] : [{ type: 'progress-compacted', text: cut }] };
}

/** The iteration's line in the ledger, before a commit is known. */
export function ledgerLine(evidence: Evidence, judged: Judged): LedgerIteration {
  const { header, agent, work, head, tampering } = evidence;
  const { decision, applied, blocked, failure, heard, proof, signals, accepted, rescue } = judged;
  const agentStopped = stoppedFromOutside(agent);
  return {
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
    error: agent.result.error,
    startedAt: header.startedAt,
    durationMs: durationOf(evidence),
    costUsd: agent.result.costUsd,
    usage: agent.result.usage,
    agent: agent.agent ?? 'none',
    model: agent.model ?? null,
    commit: null,
    subject: null,
    workFiles: 0,
    rescue,
    checks: evidence.checks.map(({ command, ok, exitCode, durationMs, tests }) => ({
      command,
      ok,
      exitCode,
      durationMs,
      ...(tests ? { tests } : {}),
    })),
    violations: judged.violations,
    ...(heard.vote ? { vote: heard.vote.claim } : {}),
    ...(heard.review !== null && applied !== null ? { reviewed: head.before } : {}),
    ...(proof ? { proof } : {}),
    ...(agent.calls ? { calls: agent.calls } : {}),
    ...(agent.outputChars === undefined ? {} : { outputChars: agent.outputChars }),
    ...(agent.result.limit ? { limit: agent.result.limit } : {}),
    ...(agent.overrun ? { overrun: agent.overrun } : {}),
    ...(agentStopped ? { agentStopped } : {}),
    ...(agent.steers ? { steers: agent.steers } : {}),
    ...(signals ? { signals } : {}),
    ...(evidence.analyzers.notes.length > 0 ? { pluginNotes: evidence.analyzers.notes } : {}),
    ...falseCompletionOf(evidence, judged),
    ...testsOf(evidence),
    ...(work.length > 0 ? { base: head.before } : {}),
    ...(tampering.length > 0 ? { tampering } : {}),
    ...evidenceOf(judged),
    ...(applied?.fields.passes && accepted.length > 0 ? { acceptedWeakenings: accepted } : {}),
    failure,
  };
}

/** An agent that announces the end learns what is left; only the loop knows whether it really is the end. */
function falseCompletionOf(
  { before }: Evidence,
  { announced, heard, applied }: Judged,
): Pick<LedgerIteration, 'falseCompletion'> {
  if (!announced) return {};
  const doneNow = applied?.fields.passes === true ? heard.story.id : null;
  const left = (before.document?.backlog.stories ?? []).filter((one) => !isDone(one) && one.id !== doneNow).length;
  return left === 0 ? {} : { falseCompletion: left };
}

/** What the review must look at when a story needed no change. */
function evidenceOf({ heard: { claim }, applied }: Judged): Pick<LedgerIteration, 'alreadyDone'> {
  return applied !== null && claim?.kind === 'ready' && claim.alreadyDone ? { alreadyDone: claim.alreadyDone } : {};
}

/** The last test run seen inside the agent's session. */
function testsOf({ agent }: Evidence): Pick<LedgerIteration, 'tests'> {
  const tests = agent.session?.tests ?? null;
  if (tests === null) return {};
  const { command, outcome, passed, failed } = tests;
  return { tests: { command, outcome, passed, failed } };
}

/** The line of an iteration of which only the cost counts. */
export function interruptedLine(
  entry: JournalEntry,
  { reason: why, rescue, diffStat }: Pick<NonNullable<LedgerIteration['failure']>, 'reason' | 'rescue' | 'diffStat'>,
): LedgerIteration {
  const { verdict, counts, reason } = cutOff(why);
  return {
    version: LEDGER_VERSION,
    kind: 'iteration',
    run: entry.run,
    iteration: entry.iteration,
    story: entry.story,
    mode: entry.mode,
    verdict,
    counts,
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

/** The journal's record of the agent: its starts and cost count even without a result. */
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
