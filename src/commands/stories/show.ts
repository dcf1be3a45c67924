import { readLedger } from '../../adapters/workspace/ledger.ts';
import type { Story } from '../../contracts/model.ts';
import type { Receipt } from '../../rules/backlog/api.ts';
import { readReceipts } from '../../rules/backlog/reviews.ts';
import { storyState } from '../../rules/backlog/story-state.ts';
import { attemptsOf } from '../../rules/safeguards/attempts.ts';
import { counted, dollars, elapsed } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor } from '../../surfaces/terminal/paint.ts';
import { oneLine, safeLines } from '../../surfaces/terminal/sanitise.ts';
import { STATE_TONE } from '../../surfaces/terminal/words.ts';
import { isOn, type RawFlags } from '../flags.ts';
import { printJson, printLines } from '../print.ts';
import { openBacklog, storyById } from './backlog.ts';
import { storyData } from './list.ts';

interface StoryView {
  readonly story: Story;
  /** Where it is written: `file:line`. */
  readonly where: string;
  /** Failed iterations since its review state last changed. */
  readonly attempts: number;
  /** Evidence of its approval. */
  readonly receipt: Receipt | null;
}

/** `ralph stories show ID` */
export async function showStory([id = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, document } = await openBacklog(flags, io);
  const story = storyById(document, id);
  const view: StoryView = {
    story,
    where: `${document.file}:${story.line}`,
    attempts: attemptsOf(await readLedger(git.repo.stateDir), story.id),
    receipt: readReceipts(document.reviewsText).findLast((receipt) => receipt.story === story.id) ?? null,
  };
  if (isOn(flags, 'json')) printJson(io, { ...view, story: storyData(story) });
  else printLines(io, renderStory(view, paintFor(io)));
  return 0;
}

/** All there is to know of a story. Pure. */
export function renderStory({ story, where, attempts, receipt }: StoryView, paint: Paint): readonly string[] {
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
    ...(story.blocked === undefined ? [] : [`  ${paint('warn', `blocked: ${oneLine(story.blocked)}`)}`]),
    ...block('Description', safeLines(story.description), paint),
    ...block(
      'Acceptance criteria',
      story.acceptanceCriteria.map((criterion) => `- ${oneLine(criterion)}`),
      paint,
    ),
    ...block('Checks of its own', (story.verifyCommands ?? []).map(oneLine), paint),
    ...block('Review feedback', safeLines(story.reviewFeedback), paint),
    ...block('Notes', safeLines(story.notes), paint),
    ...(receipt === null ? [] : block('Evidence', evidence(receipt), paint)),
  ];
}

function block(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.every((line) => line === '')
    ? []
    : ['', paint('strong', title), ...lines.map((line) => `  ${line}`.trimEnd())];
}

const APPROVED_BY: Readonly<Record<Receipt['by'], string>> = {
  review: 'a review',
  cap: 'the review cap',
  'skip-review': 'its checks alone (--skip-review)',
  person: 'a person',
};

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
    ...checks.map(
      (check) =>
        `${check.ok ? '✓' : '✗'} ${oneLine(check.command)} (exit ${check.exitCode ?? '-'}, ${elapsed(check.durationMs)}${check.redAtBaseline ? ', red before the run' : ''})`,
    ),
    `${elapsed(receipt.durationMs)}${receipt.costUsd === null ? '' : `, ${dollars(receipt.costUsd)}`}`,
    ...(receipt.concerns ? [`concerns: ${oneLine(receipt.concerns)}`] : []),
  ];
}
