import { appendSteering, isCutOff, loadOrThrow, readLedger } from '../../adapters/workspace/index.ts';
import { type ReviewFinding, type Story, type StoryDecision, UsageError } from '../../contracts/index.ts';
import { decideStory, isWaived, waiveFinding as waiveNow } from '../../loop/index.ts';
import { isBlockedByReviews, readFindings } from '../../rules/backlog/index.ts';
import { noteProblem } from '../../rules/steering/index.ts';
import { oneLine, shellWord } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { liveRun, steeringNow } from '../shared/live-run.ts';
import { openWorkspace, withRunLock } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';
import { deferDecision, needStories, refuseOtherFolder, runPhrase, type StoryDecided } from './deferred.ts';
import { openBacklog, storyById } from './list.ts';

export function approveStories(ids: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return decideAndPrint(ids, flags, io, 'approve');
}

export function reopenStories(ids: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return decideAndPrint(ids, flags, io, 'reopen');
}

async function decideAndPrint(
  ids: readonly string[],
  flags: RawFlags,
  io: Io,
  decision: StoryDecision,
): Promise<number> {
  const decided = await decideStories(flags, io, ids, decision);
  return printResult(io, flags, decided, [...decided.map(decidedText), ...uncommitted(decided)]);
}

/**
 * At once, or by the active run before its next iteration, or after a crash by the next one: recovery may restore the
 * backlog of the interrupted iteration, and would undo the decision.
 * @throws UsageError for an unknown id, LockedError (exit 4) while another command is at work here
 */
export async function decideStories(
  flags: RawFlags,
  io: Io,
  ids: readonly string[],
  decision: StoryDecision,
): Promise<readonly StoryDecided[]> {
  const command = `ralph stories ${decision}`;
  const deferred = await deferDecision(command, flags, io, ids, { decision });
  if (deferred !== null) return deferred;
  const { git, workspace } = await openWorkspace(flags, io);
  const { stateDir } = git.repo;
  const { document } = await loadOrThrow(workspace);
  needStories(document, command);
  const stories = ids.map((id) => storyById(document, id));
  return withRunLock(stateDir, command, async () => {
    const decided: StoryDecided[] = [];
    for (const { id } of stories) {
      const place = { git, workspace, ledger: await readLedger(stateDir) };
      const at = Date.now();
      const { kind } = await decideStory(place, { story: id, decision, at }, at);
      decided.push({ story: id, decision, done: kind === 'changed' ? 'now' : 'already', run: null });
    }
    return decided;
  });
}

const DONE: Readonly<Record<StoryDecided['decision'], Readonly<Record<StoryDecided['done'], string>>>> = {
  approve: {
    now: 'is approved: done, by your word',
    later: 'is approved',
    already: 'is approved already',
  },
  reopen: {
    now: 'is open again: to do, no reviews, no attempts used',
    later: 'is opened again',
    already: 'is open already',
  },
  block: { now: 'is blocked', later: 'is blocked', already: 'is blocked already' },
};

/** The command does not commit: the user may have their own work in the tree. */
function uncommitted(decided: readonly StoryDecided[]): readonly string[] {
  return decided.some(({ done }) => done === 'now') ? ['not committed yet: the next run commits it, or you do'] : [];
}

export function decidedText({ story, decision, done, run }: StoryDecided): string {
  const text = `${oneLine(story)} ${DONE[decision][done]}`;
  return done === 'later' ? `${text} ${runPhrase(run)}` : text;
}

interface FindingWaived {
  readonly story: string;
  readonly finding: string;
  readonly reason: string;
  /** `later`: by the active run, or by the next one. */
  readonly done: 'now' | 'later' | 'already';
  /** The run that does it; null when no run is active. */
  readonly run: string | null;
  /** It was the last open finding: the story waits for a review again. */
  readonly backToReview: boolean;
  /** Why the story is not worked on; null when it can be. */
  readonly blocked: string | null;
}

export async function waiveFinding(
  [id = '', finding = '', ...words]: readonly string[],
  flags: RawFlags,
  io: Io,
): Promise<number> {
  const waived = await waive(flags, io, id, finding, words.join(' ').trim());
  return printResult(io, flags, waived, waivedLines(waived));
}

/** At once or later, as with decisions. @throws UsageError listing the findings when none has this name */
async function waive(flags: RawFlags, io: Io, id: string, name: string, reason: string): Promise<FindingWaived> {
  const { git, workspace, document } = await openBacklog(flags, io);
  const { stateDir } = git.repo;
  const live = await liveRun(git);
  if (live !== null) refuseOtherFolder(live, workspace);
  const story = storyById(document, id);
  const { id: finding, ...found } = findingByName(readFindings(document.reviewsText, story.id), story, name);
  if (reason !== '') refuseUnfitReason(reason);
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

/** The effect on the story is known only when it is done. */
const UNKNOWN = { backToReview: false, blocked: null } as const;

/** Characters of an id, without its `F-`, that may abbreviate it. */
const SHORTEST = 4;

/** By its id, with or without `F-`, or by a unique prefix. */
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
export function refuseUnfitReason(reason: string): void {
  const problem = noteProblem(reason);
  if (problem !== null) throw new UsageError({ what: `the reason ${problem}`, mend: ['say it in one plain sentence'] });
}

function waivedLines({ story, finding, done, run, backToReview, blocked }: FindingWaived): readonly string[] {
  const name = `${finding} of ${oneLine(story)}`;
  if (done === 'already') return [`${name} is waived already`];
  if (done === 'later') return [`${name} is waived ${runPhrase(run)}`];
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
