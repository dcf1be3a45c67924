import { isCutOff } from '../../adapters/workspace/records/journal.ts';
import { appendSteering } from '../../adapters/workspace/records/steering-file.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { ReviewFinding, Story } from '../../contracts/model.ts';
import { isWaived, waiveFinding as waiveNow } from '../../loop/persons/waive-finding.ts';
import { isBlockedByReviews } from '../../rules/backlog/reviews/review.ts';
import { readFindings } from '../../rules/backlog/reviews/reviews.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { noteProblem } from '../../rules/steering/note-text.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { liveRun } from '../shared/live-run.ts';
import { printJson, printLines } from '../shared/print.ts';
import { withRunLock } from '../shared/with-run-lock.ts';
import { steeringNow } from '../status/steering-now.ts';
import { openBacklog, storyById } from './backlog.ts';
import { refuseOtherFolder } from './later.ts';

/** What came of a waiver. */
interface FindingWaived {
  readonly story: string;
  readonly finding: string;
  readonly reason: string;
  /** `later`: by the run that is under way, or by the next one. */
  readonly done: 'now' | 'later' | 'already';
  /** The run that does it; null when no run is under way. */
  readonly run: string | null;
  /** It was the last open finding: the story waits for a review again. */
  readonly backToReview: boolean;
  /** Why nobody works on the story, if so. */
  readonly blocked: string | null;
}

/** `ralph stories waive ID FINDING [REASON…]` */
export async function waiveFinding(
  [id = '', finding = '', ...words]: readonly string[],
  flags: RawFlags,
  io: Io,
): Promise<number> {
  const waived = await waive(flags, io, id, finding, words.join(' ').trim());
  if (isOn(flags, 'json')) printJson(io, waived);
  else printLines(io, waivedLines(waived));
  return 0;
}

/**
 * At once, or by the run that is under way, before its next iteration; after a crash by the next run, as with
 * decisions about stories.
 * @throws UsageError with what was found where there is no such finding
 */
async function waive(flags: RawFlags, io: Io, id: string, name: string, reason: string): Promise<FindingWaived> {
  const { git, workspace, document } = await openBacklog(flags, io);
  const { stateDir } = git.repo;
  const live = await liveRun(git);
  if (live !== null) refuseOtherFolder(live, workspace);
  const story = storyById(document, id);
  const { id: finding, ...found } = findingByName(readFindings(document.reviewsText, story.id), story, name);
  if (reason !== '') refuseUnfit(reason);
  const said = { story: story.id, finding, reason };
  if (live !== null || (await isCutOff(stateDir))) {
    const { waivers } = await steeringNow(git, live, io);
    const isSaid =
      isWaived({ id: finding, ...found }, reason) ||
      waivers.some((one) => one.story === story.id && one.finding === finding && one.reason === reason);
    if (!isSaid) await appendSteering(stateDir, { kind: 'waive', ...said, at: Date.now() });
    return { ...said, done: isSaid ? 'already' : 'later', run: live?.run ?? null, ...UNKNOWN };
  }
  return withRunLock(stateDir, 'ralph stories waive', async () => {
    const at = Date.now();
    const outcome = await waiveNow({ git, workspace }, { ...said, at }, at);
    if (outcome.kind !== 'waived') return { ...said, done: 'already', run: null, ...UNKNOWN };
    const { backToReview, blocked } = outcome;
    return { ...said, done: 'now', run: null, backToReview, blocked };
  });
}

/** What becomes of the story shows when it is done. */
const UNKNOWN = { backToReview: false, blocked: null } as const;

/** Characters of an id, without its `F-`, that may stand for the whole of it. */
const SHORTEST = 4;

/** By its id, with or without `F-`, or by the beginning of one that no other finding shares. */
function findingByName(findings: readonly ReviewFinding[], story: Story, name: string): ReviewFinding {
  const bare = name.toLowerCase().replace(/^f-/, '');
  const found = findings.filter(({ id }) => bare.length >= SHORTEST && id.slice(2).toLowerCase().startsWith(bare));
  if (found[0] !== undefined && found.length === 1) return found[0];
  const known = findings.map(({ id, state, claim }) => `\n    ${id} (${state}): ${oneLine(claim).slice(0, 100)}`);
  throw new UsageError({
    what:
      found.length > 1
        ? `'${oneLine(name)}' may be any of ${found.map(({ id }) => id).join(', ')}`
        : `no review of ${oneLine(story.id)} found '${oneLine(name)}'`,
    why: known.length === 0 ? 'its reviews found nothing so far' : `they found:${known.join('')}`,
    mend: [
      known.length === 0
        ? `\`ralph stories show ${shellWord(oneLine(story.id))}\` shows where it stands`
        : `name one of these: \`ralph stories waive ${shellWord(oneLine(story.id))} F-…\``,
    ],
  });
}

/** It becomes part of a prompt. */
function refuseUnfit(reason: string): void {
  const problem = noteProblem(reason);
  if (problem !== null) throw new UsageError({ what: `the reason ${problem}`, mend: ['say it in one plain sentence'] });
}

function waivedLines({ story, finding, done, run, backToReview, blocked }: FindingWaived): readonly string[] {
  const name = `${finding} of ${oneLine(story)}`;
  if (done === 'already') return [`${name} is waived already`];
  if (done === 'later') {
    const who =
      run === null ? 'the next run, once it has picked up what was cut off' : `run ${run} before its next iteration`;
    return [`${name} is waived by ${who}`];
  }
  return [
    `${name} is waived: no later review brings it back`,
    ...(backToReview ? [`nothing else is open: ${oneLine(story)} goes back to review`] : []),
    ...(blocked === null ? [] : [blockedLine(oneLine(story), blocked)]),
    'not committed yet: the next run commits it, or you do',
  ];
}

function blockedLine(story: string, reason: string): string {
  const way = isBlockedByReviews(reason)
    ? 'until its other open findings are waived, too'
    : `(${oneLine(reason)}); \`ralph stories approve\` or \`reopen\` frees it`;
  return `${story} stays blocked ${way}`;
}
