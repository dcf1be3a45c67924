import type { Git } from '../../adapters/git/port.ts';
import { loadOrThrow } from '../../adapters/workspace/document.ts';
import { isCutOff } from '../../adapters/workspace/journal.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { readLedger } from '../../adapters/workspace/ledger.ts';
import { appendSteering } from '../../adapters/workspace/steering-file.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { Story } from '../../contracts/model.ts';
import type { StoryDecision } from '../../contracts/state.ts';
import { decideStory, isSo } from '../../loop/decide-story.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../flags.ts';
import { type LiveRun, liveRun } from '../live-run.ts';
import { openWorkspace } from '../open.ts';
import { printJson, printLines } from '../print.ts';
import { steeringNow } from '../steering-now.ts';
import { withRunLock } from '../with-run-lock.ts';
import { storyById } from './backlog.ts';

/** What came of a decision about one story. */
export interface StoryDecided {
  readonly story: string;
  readonly decision: StoryDecision;
  /** `later`: by the run that is under way, or by the next one. */
  readonly done: 'now' | 'later' | 'already';
  /** The run that does it; null when no run is under way. */
  readonly run: string | null;
}

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
  const { git, workspace } = await openWorkspace(flags, io);
  const { stateDir } = git.repo;
  const live = await liveRun(git);
  if (live !== null) refuseOtherFolder(live, workspace);
  const { document } = await loadOrThrow(workspace);
  if (document.format === 'prompt') {
    throw new UsageError({ what: `there is no backlog, only ${document.file}`, mend: ['`ralph init` makes one'] });
  }
  const stories = ids.map((id) => storyById(document, id));
  if (live !== null || (await isCutOff(stateDir))) return leaveWord(git, live, io, stories, decision);
  return withRunLock(stateDir, `ralph stories ${decision}`, async () => {
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

/** Says it to the run that is under way, or to the next one, unless it was said already. */
async function leaveWord(
  git: Git,
  live: LiveRun | null,
  io: Io,
  stories: readonly Story[],
  decision: StoryDecision,
): Promise<readonly StoryDecided[]> {
  const { stateDir } = git.repo;
  const [{ decisions }, ledger] = await Promise.all([steeringNow(git, live, io), readLedger(stateDir)]);
  const decided: StoryDecided[] = [];
  for (const story of stories) {
    const said = decisions.find((one) => one.story === story.id)?.decision;
    // A story at work may change until the iteration has ended: what it is now does not make the word needless.
    const needless = said === decision || (said === undefined && live === null && isSo(story, decision, ledger));
    if (!needless) await appendSteering(stateDir, { kind: 'story', story: story.id, decision, at: Date.now() });
    decided.push({ story: story.id, decision, done: needless ? 'already' : 'later', run: live?.run ?? null });
  }
  return decided;
}

function refuseOtherFolder({ run, record }: LiveRun, { specDir }: Workspace): void {
  if (record === null || record.specDir === specDir) return;
  throw new UsageError({
    what: `run ${run} works on another spec folder`,
    where: record.specDir,
    why: `a decision about ${specDir} would have to be carried out by a run on it`,
    mend: [`decide about the run's own stories: \`--ralph-dir ${record.specDir}\``, 'or wait until it has ended'],
  });
}

const DONE: Readonly<Record<StoryDecision, Readonly<Record<'now' | 'later' | 'already', string>>>> = {
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
};

/** No commit is made by the command itself: a person may have work of their own in the tree. */
function uncommitted(decided: readonly StoryDecided[]): readonly string[] {
  return decided.some(({ done }) => done === 'now') ? ['not committed yet: the next run commits it, or you do'] : [];
}

/** In a sentence. */
export function decidedText({ story, decision, done, run }: StoryDecided): string {
  const text = `${oneLine(story)} ${DONE[decision][done]}`;
  if (done !== 'later') return text;
  return `${text} ${run === null ? 'by the next run, once it has picked up what was cut off' : `by run ${run} before its next iteration`}`;
}
