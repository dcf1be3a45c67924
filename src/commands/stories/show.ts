import { readLedger } from '../../adapters/workspace/index.ts';
import type { LedgerLine, RedGreenProof, ReviewFinding, Story } from '../../contracts/index.ts';
import {
  AWAITS_APPROVAL,
  earlierReceipts,
  type Receipt,
  type RejectedReceipt,
  readReceipt,
  storyState,
} from '../../rules/backlog/index.ts';
import { APPROVED_BY } from '../../rules/evidence/index.ts';
import { findingsOf } from '../../rules/judge/index.ts';
import { isRefused } from '../../rules/proof.ts';
import { attemptsOf, lastFailure } from '../../rules/safeguards/index.ts';
import {
  counted,
  dollars,
  elapsed,
  oneLine,
  questionIn,
  rescueName,
  STATE_TONE,
  safeLines,
  shellWord,
} from '../../rules/text/index.ts';
import { failureLines, type Io, type Paint, paintFor } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { printResult } from '../shared/print.ts';
import { openBacklog, storyById, storyData } from './list.ts';

interface RefusedProof extends RedGreenProof {
  readonly run: string;
  readonly iteration: number;
}

export async function showStory([id = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const view = await viewOf(id, flags, io);
  return printResult(io, flags, { ...view, story: storyData(view.story) }, renderStory(view, paintFor(io)));
}

async function viewOf(id: string, flags: RawFlags, io: Io) {
  const { git, document } = await openBacklog(flags, io);
  const story = storyById(document, id);
  const ledger = await readLedger(git.repo.stateDir);
  return {
    story,
    where: `${document.file}:${story.line}`,
    /** Failed iterations since its review state last changed. */
    attempts: attemptsOf(ledger, story.id),
    /** Where it is blocked: the last failure, and the iteration that had it. */
    failed: story.blocked === undefined ? null : lastFailed(ledger, story),
    /** Of its reviews since it was last restarted. */
    findings: findingsOf(document, story),
    /** Of its tests, the last one; null once a proof was accepted, and when the story is done. */
    refusedProof: refusedProof(ledger, story),
    /** Approvals that a person rejected later. */
    earlier: earlierReceipts(document.reviewsText, story.id),
    receipt: readReceipt(document.reviewsText, story.id),
  };
}

function lastFailed(ledger: readonly LedgerLine[], { id }: Story) {
  const failure = lastFailure(ledger, id);
  const line = ledger.findLast((one) => one.kind === 'iteration' && one.story === id);
  if (failure === null || line?.kind !== 'iteration') return null;
  return { run: line.run, iteration: line.iteration, ...failure };
}

function refusedProof(ledger: readonly LedgerLine[], { id, passes }: Story): RefusedProof | null {
  const since = ledger.findLastIndex((line) => line.kind === 'reset' && line.story === id);
  const last = ledger
    .slice(since + 1)
    .findLast((line) => line.kind === 'iteration' && line.story === id && line.proof !== undefined);
  if (passes || last?.kind !== 'iteration' || last.proof === undefined || !isRefused(last.proof.result)) return null;
  return { ...last.proof.result, run: last.run, iteration: last.iteration };
}

function renderStory(view: Awaited<ReturnType<typeof viewOf>>, paint: Paint): readonly string[] {
  const { story, where, attempts, failed, findings, refusedProof: refused, receipt, earlier } = view;
  const state = storyState(story);
  const tone = STATE_TONE[state];
  const facts = [
    tone ? paint(tone, state) : state,
    `priority ${story.priority}`,
    counted(story.reviewCount, 'review'),
    ...(attempts > 0 ? [counted(attempts, 'failed attempt')] : []),
    ...(story.dependsOn.length > 0 ? [`after ${story.dependsOn.map(oneLine).join(', ')}`] : []),
    where,
  ];
  return [
    paint('strong', oneLine(`${story.id} ${story.title}`)),
    `  ${facts.join(' · ')}`,
    ...(story.blocked === undefined ? [] : blockedLines(story, story.blocked, failed, receipt, paint)),
    ...block('Description', safeLines(story.description), paint),
    ...block(
      'Acceptance criteria',
      story.acceptanceCriteria.map((criterion) => `- ${oneLine(criterion)}`),
      paint,
    ),
    ...block('Its own checks', (story.verifyCommands ?? []).map(oneLine), paint),
    ...block('Review feedback', safeLines(story.reviewFeedback), paint),
    ...block('Findings', findings.flatMap(findingLines), paint),
    ...block('Red-green proof', refused === null ? [] : proofLines(refused), paint),
    ...block('Notes', safeLines(story.notes), paint),
    ...(receipt === null ? [] : block('Evidence', evidence(receipt), paint)),
    ...block('Earlier approvals (no longer valid)', earlier.map(rejectedLine), paint),
  ];
}

function blockedLines(
  story: Story,
  blocked: string,
  failed: ReturnType<typeof lastFailed>,
  receipt: Receipt | null,
  paint: Paint,
): readonly string[] {
  const question = questionIn(blocked);
  const red = failed?.checks.find(({ ok }) => !ok);
  const id = shellWord(story.safeId);
  const isHeld = blocked === AWAITS_APPROVAL;
  const commits = isHeld ? (receipt?.commits ?? null) : null;
  const next = [
    ...(commits ? [[`git diff ${commits.base.slice(0, 7)} ${commits.head.slice(0, 7)}`, 'what was done']] : []),
    ...(isHeld ? [[`ralph stories approve ${id}`, 'then it is done']] : []),
    ...(failed ? [[`ralph log ${failed.iteration} --run ${failed.run}`, 'what its last iteration did']] : []),
    ...(failed?.rescue ? [[`ralph rescue show ${rescueName(failed.rescue)}`, 'what was rolled back']] : []),
    question
      ? [`ralph answer ${question.id} "…"`, 'answer, and the story continues']
      : isHeld
        ? [`ralph stories reject ${id} "…"`, 'ask for changes']
        : [`ralph stories reset ${id}`, 'unblock it, then `ralph run`'],
  ] as const;
  const width = Math.max(...next.map(([command = '']) => command.length));
  return [
    ...block('Why it is blocked', [paint('warn', oneLine(question?.text ?? blocked))], paint),
    ...(red === undefined
      ? []
      : block(`Last output of ${oneLine(red.command)}`, failureLines(safeLines(red.tail), MOST_OUTPUT), paint)),
    ...block(
      'Next',
      next.map(([command = '', what]) => `${command.padEnd(width)}  ${what}`),
      paint,
    ),
  ];
}

const MOST_OUTPUT = 12;

function block(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.every((line) => line === '')
    ? []
    : ['', paint('strong', title), ...lines.map((line) => `  ${line}`.trimEnd())];
}

function proofLines({ run, iteration, outcome, detail }: RefusedProof): readonly string[] {
  return [`refused in iteration ${iteration} of run ${run}: ${outcome}: ${oneLine(detail)}`];
}

function findingLines({
  id,
  state,
  file,
  claim,
  reason,
  foundIn,
  lastFoundIn,
  from,
}: ReviewFinding): readonly string[] {
  const asked = from === undefined ? null : `by ${from.url === undefined ? 'you' : (from.author ?? 'a check')}`;
  const found = foundIn === lastFoundIn ? `review ${foundIn}` : `reviews ${foundIn} to ${lastFoundIn}`;
  const when = asked ?? found;
  const where = file === null || claim.includes(file) ? '' : `${oneLine(file)}: `;
  const text = `${id} ${state} (${when}) ${where}${oneLine(claim)}`;
  return reason === undefined ? [text] : [text, `  waived: ${oneLine(reason)}`];
}

function evidence(receipt: Receipt): readonly string[] {
  const { commits, checks } = receipt;
  const by = APPROVED_BY[receipt.by];
  return [
    `approved ${receipt.approvedAt} by ${by}, after ${counted(receipt.reviews, 'review')} and ${counted(receipt.attempts, 'failed attempt')}`,
    ...(commits === null
      ? []
      : [`${counted(commits.count, 'commit')}: git log ${commits.base.slice(0, 7)}..${commits.head.slice(0, 7)}`]),
    ...(receipt.verified
      ? []
      : [`unverified: ${receipt.by === 'person' ? 'no checks were run for it' : 'there were no checks to run'}`]),
    ...(receipt.checkedIn ? [CHECKED_IN[receipt.checkedIn]] : []),
    ...checks.map(
      (check) =>
        `${check.ok ? '✓' : '✗'} ${oneLine(check.command)} (exit ${check.exitCode ?? '-'}, ${elapsed(check.durationMs)}${check.redAtBaseline ? ', red before the run' : ''})`,
    ),
    ...testLines(receipt),
    ...(receipt.proof ? [`red-green proof: ${receipt.proof.outcome}: ${oneLine(receipt.proof.detail)}`] : []),
    `${elapsed(receipt.durationMs)}${receipt.costUsd === null ? '' : `, ${dollars(receipt.costUsd)}`}`,
    ...(receipt.concerns ? [`concerns: ${oneLine(receipt.concerns)}`] : []),
  ];
}

function rejectedLine({ approvedAt, by, commits, rejectedAt }: RejectedReceipt): string {
  const head = commits === null ? '' : ` at ${commits.head.slice(0, 7)}`;
  return `approved ${approvedAt} by ${APPROVED_BY[by]}${head}, rejected ${rejectedAt}`;
}

const CHECKED_IN = { room: 'checked in a clean room', tree: "checked in the agent's tree" } as const;

function testLines({ tests }: Receipt): readonly string[] {
  if (!tests) return [];
  const text = (count: number | null) => (count === null ? 'unknown' : String(count));
  return [`tests passing: ${text(tests.before)} before, ${text(tests.after)} after`];
}
