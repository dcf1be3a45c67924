import type { Git } from '../../adapters/git/port.ts';
import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { isCutOff } from '../../adapters/workspace/records/journal.ts';
import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import { appendSteering } from '../../adapters/workspace/records/steering-file.ts';
import { FileProblemsError, UsageError } from '../../contracts/errors.ts';
import type { Story } from '../../contracts/model.ts';
import type { StoryDecision } from '../../contracts/state/steering.ts';
import { isSo } from '../../loop/judge/decide-story.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { editBacklog } from '../../rules/backlog/edit.ts';
import type { PendingAddition, StoryWord } from '../../rules/steering/steering.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import { type LiveRun, liveRun } from '../shared/live-run.ts';
import { openWorkspace } from '../shared/open.ts';
import { steeringNow } from '../status/steering-now.ts';

/** What came of a word about one story. */
export interface StoryDecided {
  readonly story: string;
  readonly decision: StoryDecision | 'block';
  /** `later`: by the run that is under way, or by the next one. */
  readonly done: 'now' | 'later' | 'already';
  /** The run that does it; null when no run is under way. */
  readonly run: string | null;
}

/** Where a word about stories has to wait. */
export interface Later {
  readonly git: Git;
  readonly workspace: Workspace;
  /** With the stories that wait to be added. What is asked for is judged against it, and again when it is done. */
  readonly document: BacklogDocument;
  /** null after a crash: the next run does it. Recovery may write the backlog as the iteration knew it. */
  readonly live: LiveRun | null;
}

/**
 * Who carries out a word about stories, when not the command itself: the run that is under way, or the one that picks
 * up what was cut off. null when the command can do it at once.
 * @param command as it is typed, for the refusal
 * @throws UsageError where the run works on another spec folder, and where there is no backlog
 */
export async function laterOf(command: string, flags: RawFlags, io: Io): Promise<Later | null> {
  const { git, workspace } = await openWorkspace(flags, io);
  const live = await liveRun(git);
  if (live !== null) refuseOtherFolder(live, workspace);
  if (live === null && !(await isCutOff(git.repo.stateDir))) return null;
  const { document } = await loadOrThrow(workspace);
  needStories(document, command);
  const { additions } = await steeringNow(git, live, io);
  return { git, workspace, document: withAdditions(document, workspace.specDir, additions), live };
}

/** A story that cannot be added any more is the run's to tell of. */
function withAdditions(
  document: BacklogDocument,
  specDir: string,
  additions: readonly PendingAddition[],
): BacklogDocument {
  return additions.reduce((before, { folder, story }) => {
    const isThere = before.backlog.stories.some(({ id }) => id === story.id);
    if (folder !== specDir || isThere) return before;
    try {
      return editBacklog(before, [{ kind: 'add', story }]);
    } catch (error) {
      if (error instanceof FileProblemsError) return before;
      throw error;
    }
  }, document);
}

/** Says it to the run that is under way, or to the next one, unless it was said already. */
export async function leaveWord(
  { git, live }: Pick<Later, 'git' | 'live'>,
  io: Io,
  stories: readonly Story[],
  word: StoryWord,
): Promise<readonly StoryDecided[]> {
  const { stateDir } = git.repo;
  const [{ decisions }, ledger] = await Promise.all([steeringNow(git, live, io), readLedger(stateDir)]);
  const run = live?.run ?? null;
  const decided: StoryDecided[] = [];
  for (const { id, ...rest } of stories) {
    const said = decisions.find((one) => one.story === id);
    // A story at work may change until the iteration has ended: what it is now does not make the word needless.
    const isNeedless = said ? isSame(said, word) : run === null && isSo({ id, ...rest }, word, ledger);
    if (!isNeedless) await appendSteering(stateDir, { ...requestOf(word), story: id, at: Date.now() });
    decided.push({ story: id, decision: word.decision, done: isNeedless ? 'already' : 'later', run });
  }
  return decided;
}

function requestOf(word: StoryWord) {
  return word.decision === 'block'
    ? ({ kind: 'block', reason: word.reason } as const)
    : ({ kind: 'story', decision: word.decision } as const);
}

function isSame(one: StoryWord, other: StoryWord): boolean {
  const reasonOf = (word: StoryWord) => (word.decision === 'block' ? word.reason : null);
  return one.decision === other.decision && reasonOf(one) === reasonOf(other);
}

/** `by run 20261122-030000-abcd before its next iteration` */
export function byWhom(run: string | null): string {
  return run === null
    ? 'by the next run, once it has picked up what was cut off'
    : `by run ${run} before its next iteration`;
}

/** @throws UsageError where the run that is under way works on another spec folder */
export function refuseOtherFolder({ run, record }: LiveRun, { specDir }: Workspace): void {
  if (record === null || record.specDir === specDir) return;
  throw new UsageError({
    what: `run ${run} works on another spec folder`,
    where: record.specDir,
    why: `a decision about ${specDir} would have to be carried out by a run on it`,
    mend: [`decide about the run's own stories: \`--ralph-dir ${record.specDir}\``, 'or wait until it has ended'],
  });
}

/** @throws UsageError where there is only a prompt */
export function needStories({ format, file }: BacklogDocument, command: string): void {
  if (format !== 'prompt') return;
  throw new UsageError({
    what: `${command} needs a backlog, and there is only ${file}`,
    why: 'without stories the prompt says what is to be done, and the agent when it is',
    mend: ['change the prompt itself', '`ralph init` makes a backlog'],
  });
}
