import type { SteeringRequest } from '../../adapters/workspace/index.ts';
import {
  type RequestedChange,
  type ReviewFinding,
  type Story,
  type StoryDecision,
  UsageError,
} from '../../contracts/index.ts';
import { isAlready, isWaived } from '../../loop/index.ts';
import { type BacklogDocument, isBlockedByReviews, readFindings, storyState } from '../../rules/backlog/index.ts';
import { changesProblem, noteProblem, type PendingWaiver, type StoryWord } from '../../rules/steering/index.ts';
import { oneLine, shellWord } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { countOf, given, type RawFlags, textOf } from '../shared/flags.ts';
import { printResult } from '../shared/print.ts';
import { storyById } from './list.ts';
import { carriedOutBy, sayAboutStories } from './say.ts';

/** `ralph stories approve ID…` */
export const approveStories = decideAs('approve', 'approve');

/** `ralph stories reset ID…` */
export const resetStories = decideAs('reset', 'reopen');

function decideAs(command: string, decision: StoryDecision) {
  return async (ids: readonly string[], flags: RawFlags, io: Io): Promise<number> => {
    const { decided } = await decideStories(`ralph stories ${command}`, flags, io, ids, { decision });
    return printResult(io, flags, decided, [...decided.map(decidedText), ...uncommitted(decided)]);
  };
}

/** `ralph stories reject ID TEXT…` */
export async function rejectStory([id = '', ...words]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const file = textOf(flags, 'file');
  const line = countOf(flags, 'line');
  const text = words.join(' ').replaceAll('\r\n', '\n').trim();
  if (line !== undefined && file === undefined) throw new UsageError({ what: '--line needs --file PATH' });
  const said = await rejectBy(flags, io, id, [{ text, ...given({ file, line }) }]);
  return printResult(io, flags, said, [decidedText(said), ...uncommitted([said])]);
}

/** @throws UsageError for changes that no prompt should include, and for a story without work to change */
export async function rejectBy(
  flags: RawFlags,
  io: Io,
  id: string,
  changes: readonly RequestedChange[],
): Promise<StoryDecided> {
  const problem = changesProblem(changes);
  if (problem !== null)
    throw new UsageError({ what: `the rejection ${problem}`, fix: ['say what to change, in words'] });
  const { decided } = await decideStories('ralph stories reject', flags, io, [id], { decision: 'reject', changes });
  const [said] = decided;
  if (said === undefined) throw new Error(`nothing was decided about ${id}`);
  return said;
}

/** The result of a decision about one story. */
interface StoryDecided {
  readonly story: string;
  readonly decision: StoryWord['decision'];
  /** `later`: by the active run, or by the next one. */
  readonly done: 'now' | 'later' | 'already';
  /** The run that does it; null when no run is active. */
  readonly run: string | null;
}

/**
 * Decides about stories, as {@link sayAboutStories} says.
 * @throws UsageError with the nearest id for an unknown one; nothing is changed then
 */
export async function decideStories(
  command: string,
  flags: RawFlags,
  io: Io,
  ids: readonly string[],
  word: StoryWord,
): Promise<{ readonly decided: readonly StoryDecided[]; readonly document: BacklogDocument }> {
  const decided: StoryDecided[] = [];
  const { document } = await sayAboutStories(command, flags, io, ({ document, ledger, steering, run, isLater }) => {
    const stories = ids.map((id) => storyById(document, id));
    // The current story may have been implemented by the time the run applies it.
    if (word.decision === 'reject' && run === null) stories.forEach(refuseUntouched);
    return stories.flatMap((story): readonly SteeringRequest[] => {
      const said = steering.decisions.find((one) => one.story === story.id);
      // A story at work may change until the iteration has ended: its current state does not make the decision needless.
      const isNeedless = said ? isSame(said, word) : run === null && isAlready(story, word, ledger);
      const done = isNeedless ? 'already' : isLater ? 'later' : 'now';
      decided.push({ story: story.id, decision: word.decision, done, run });
      return isNeedless ? [] : [{ ...requestOf(word), story: story.id, at: Date.now() }];
    });
  });
  return { decided, document };
}

/** @throws UsageError when nothing was done for it yet */
function refuseUntouched(story: Story): void {
  if (storyState(story) !== 'to do') return;
  throw new UsageError({
    what: `${oneLine(story.id)} is not implemented yet: there is nothing to reject`,
    fix: [`\`ralph steer --story ${shellWord(oneLine(story.id))} "…"\` adds a note to its next prompt`],
  });
}

function requestOf(word: StoryWord) {
  if (word.decision === 'block') return { kind: 'block', reason: word.reason } as const;
  if (word.decision === 'reject') return { kind: 'reject', changes: word.changes } as const;
  return { kind: 'story', decision: word.decision } as const;
}

function isSame(one: StoryWord, other: StoryWord): boolean {
  if (one.decision === 'block' && other.decision === 'block') return one.reason === other.reason;
  if (one.decision !== 'reject' || other.decision !== 'reject') return one.decision === other.decision;
  const known = new Set(one.changes.map((change) => JSON.stringify(change)));
  return other.changes.every((change) => known.has(JSON.stringify(change)));
}

const DONE: Readonly<Record<StoryDecided['decision'], Readonly<Record<StoryDecided['done'], string>>>> = {
  approve: { now: 'is approved by you: done', later: 'will be approved', already: 'is already approved' },
  reopen: {
    now: 'is reopened: to do, without reviews or failed attempts',
    later: 'will be reopened',
    already: 'is already open',
  },
  reject: { now: 'is sent back: the next run changes it', later: 'will be sent back', already: 'is already sent back' },
  block: { now: 'is blocked', later: 'will be blocked', already: 'is already blocked' },
};

/** The command does not commit: the user may have their own work in the tree. */
function uncommitted(decided: readonly StoryDecided[]): readonly string[] {
  return decided.some(({ done }) => done === 'now') ? ['not committed yet: commit it, or the next run will'] : [];
}

/** The result as a sentence. */
export function decidedText({ story, decision, done, run }: StoryDecided): string {
  const text = `${oneLine(story)} ${DONE[decision][done]}`;
  return done === 'later' ? `${text} ${carriedOutBy(run)}` : text;
}

/** `ralph stories waive ID FINDING [REASON…]` */
export async function waiveFinding(
  [id = '', finding = '', ...words]: readonly string[],
  flags: RawFlags,
  io: Io,
): Promise<number> {
  const waived = await waive(flags, io, id, finding, words.join(' ').trim());
  return printResult(io, flags, waived, waivedLines(waived));
}

/**
 * @returns `backToReview`: it was the last open finding, and the story waits for a review again; `blocked`: why the story
 *   is not worked on, null when it can be
 * @throws UsageError listing the findings when none has this name
 */
async function waive(flags: RawFlags, io: Io, id: string, name: string, reason: string) {
  let said = { story: id, finding: name, reason };
  let isSaid = false;
  const { run, isLater, applied } = await sayAboutStories(
    'ralph stories waive',
    flags,
    io,
    ({ document, steering }) => {
      const story = storyById(document, id);
      const found = findingByName(readFindings(document.reviewsText, story.id), story, name);
      if (reason !== '') refuseUnfit(reason);
      said = { story: story.id, finding: found.id, reason };
      isSaid = isWaived(found, reason) || steering.waivers.some((one) => isTheSame(one, said));
      return isSaid ? [] : [{ kind: 'waive', ...said, at: Date.now() }];
    },
  );
  const done: StoryDecided['done'] = isSaid ? 'already' : isLater ? 'later' : 'now';
  const own = applied.findLast(({ word }) => word.kind === 'waiver' && isTheSame(word, said));
  const left = own?.kind === 'done' ? own.left : null;
  const backToReview = own?.kind === 'done' && own.events.length > 0;
  return { ...said, done, run: isLater ? run : null, backToReview, blocked: left };
}

function isTheSame(one: PendingWaiver, other: Omit<PendingWaiver, 'at'>): boolean {
  return one.story === other.story && one.finding === other.finding && one.reason === other.reason;
}

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
        ? `'${oneLine(name)}' is ambiguous: ${found.map(({ id }) => id).join(', ')}`
        : `no review of ${oneLine(story.id)} found '${oneLine(name)}'`,
    why: known.length === 0 ? 'its reviews found nothing so far' : `they found:${known.join('')}`,
    fix: [
      known.length === 0
        ? `\`ralph stories show ${shellWord(oneLine(story.id))}\` shows where it stands`
        : `name one of these: \`ralph stories waive ${shellWord(oneLine(story.id))} F-…\``,
    ],
  });
}

/** It becomes part of a prompt. */
export function refuseUnfit(reason: string): void {
  const problem = noteProblem(reason);
  if (problem !== null) throw new UsageError({ what: `the reason ${problem}`, fix: ['give it as one plain sentence'] });
}

function waivedLines(waived: Awaited<ReturnType<typeof waive>>): readonly string[] {
  const { story, finding, done, run, backToReview, blocked } = waived;
  const name = `${finding} of ${oneLine(story)}`;
  if (done === 'already') return [`${name} is already waived`];
  if (done === 'later') return [`${name} will be waived ${carriedOutBy(run)}`];
  return [
    `${name} is waived: no later review will raise it again`,
    ...(backToReview ? [`nothing else is open: ${oneLine(story)} goes back to review`] : []),
    ...(blocked === null ? [] : [blockedLine(oneLine(story), blocked)]),
    'not committed yet: commit it, or the next run will',
  ];
}

function blockedLine(story: string, reason: string): string {
  const way = isBlockedByReviews(reason)
    ? 'until its other open findings are waived, too'
    : `(${oneLine(reason)}); \`ralph stories approve\` or \`reset\` unblocks it`;
  return `${story} stays blocked ${way}`;
}
