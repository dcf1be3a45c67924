import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import type { StoryDecision } from '../../contracts/state/steering.ts';
import { decideStory } from '../../loop/judge/decide-story.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openWorkspace } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { withRunLock } from '../shared/with-run-lock.ts';
import { storyById } from './backlog.ts';
import { byWhom, laterOf, leaveWord, needStories, type StoryDecided } from './later.ts';

/** `ralph stories approve ID…` */
export function approveStories(ids: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return decideAndPrint(ids, flags, io, 'approve');
}

/** `ralph stories reopen ID…` */
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
  if (isOn(flags, 'json')) printJson(io, decided);
  else printLines(io, [...decided.map(decidedText), ...uncommitted(decided)]);
  return 0;
}

/**
 * Decides about stories: at once, or by the run that is under way, before its next iteration. After a crash it is the
 * next run's to do: recovery may write the backlog as the interrupted iteration knew it, and would undo it.
 * @throws UsageError with the nearest id for an unknown one, and where there is no backlog; nothing is changed then
 * @throws LockedError (exit 4) while another command is at work here
 */
export async function decideStories(
  flags: RawFlags,
  io: Io,
  ids: readonly string[],
  decision: StoryDecision,
): Promise<readonly StoryDecided[]> {
  const command = `ralph stories ${decision}`;
  const later = await laterOf(command, flags, io);
  if (later !== null) {
    const named = ids.map((id) => storyById(later.document, id));
    return leaveWord(later, io, named, { decision });
  }
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
  block: {
    now: 'is blocked',
    later: 'is blocked',
    already: 'is blocked already',
  },
};

/** No commit is made by the command itself: a person may have work of their own in the tree. */
function uncommitted(decided: readonly StoryDecided[]): readonly string[] {
  return decided.some(({ done }) => done === 'now') ? ['not committed yet: the next run commits it, or you do'] : [];
}

/** In a sentence. */
export function decidedText({ story, decision, done, run }: StoryDecided): string {
  const text = `${oneLine(story)} ${DONE[decision][done]}`;
  return done === 'later' ? `${text} ${byWhom(run)}` : text;
}
