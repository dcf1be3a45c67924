import type { Git } from '../../adapters/git/index.ts';
import { appendSteering, isCutOff, loadOrThrow, readLedger, type Workspace } from '../../adapters/workspace/index.ts';
import { FileProblemsError, type StoryDecision, UsageError } from '../../contracts/index.ts';
import { isAlready } from '../../loop/index.ts';
import { type BacklogDocument, editBacklog } from '../../rules/backlog/index.ts';
import type { PendingAddition, StoryWord } from '../../rules/steering/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { type LiveRun, liveRun, steeringNow } from '../shared/live-run.ts';
import { openWorkspace } from '../shared/open.ts';
import { storyById } from './list.ts';

export interface StoryDecided {
  readonly story: string;
  readonly decision: StoryDecision | 'block';
  /** `later`: by the active run, or by the next one. */
  readonly done: 'now' | 'later' | 'already';
  /** The run that does it; null when no run is active. */
  readonly run: string | null;
}

/** A request that this command cannot carry out itself: the active run does, or the next one. */
interface Deferral {
  readonly git: Git;
  readonly workspace: Workspace;
  /** Includes the stories that wait to be added. A request is checked against it, and again when it is carried out. */
  readonly document: BacklogDocument;
  /** null after a crash: recovery may restore the backlog of the interrupted iteration. */
  readonly live: LiveRun | null;
}

/** null when the command can change the backlog at once. @param command as typed, for the refusal */
export async function deferralOf(command: string, flags: RawFlags, io: Io): Promise<Deferral | null> {
  const { git, workspace } = await openWorkspace(flags, io);
  const live = await liveRun(git);
  if (live !== null) refuseOtherFolder(live, workspace);
  if (live === null && !(await isCutOff(git.repo.stateDir))) return null;
  const { document } = await loadOrThrow(workspace);
  needStories(document, command);
  const { additions } = await steeringNow(git, live, io);
  return { git, workspace, document: withAdditions(document, workspace.specDir, additions), live };
}

/** The run reports a story that cannot be added any more. */
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

/** Requests a decision about stories, unless it was requested already; null when the command can decide at once. */
export async function deferDecision(
  command: string,
  flags: RawFlags,
  io: Io,
  ids: readonly string[],
  word: StoryWord,
): Promise<readonly StoryDecided[] | null> {
  const deferral = await deferralOf(command, flags, io);
  if (deferral === null) return null;
  const { git, live, document } = deferral;
  const stories = ids.map((id) => storyById(document, id));
  const { stateDir } = git.repo;
  const [{ decisions }, ledger] = await Promise.all([steeringNow(git, live, io), readLedger(stateDir)]);
  const run = live?.run ?? null;
  const decided: StoryDecided[] = [];
  for (const story of stories) {
    const pending = decisions.find((one) => one.story === story.id);
    // A story at work may change until the iteration has ended: its current state does not make the decision needless.
    const isNeedless = pending ? isSame(pending, word) : run === null && isAlready(story, word, ledger);
    const request =
      word.decision === 'block'
        ? ({ kind: 'block', reason: word.reason } as const)
        : ({ kind: 'story', decision: word.decision } as const);
    if (!isNeedless) await appendSteering(stateDir, { ...request, story: story.id, at: Date.now() });
    decided.push({ story: story.id, decision: word.decision, done: isNeedless ? 'already' : 'later', run });
  }
  return decided;
}

function isSame(one: StoryWord, other: StoryWord): boolean {
  const reasonOf = (word: StoryWord) => (word.decision === 'block' ? word.reason : null);
  return one.decision === other.decision && reasonOf(one) === reasonOf(other);
}

/** `by run 20261122-030000-abcd before its next iteration` */
export function runPhrase(run: string | null): string {
  return run === null
    ? 'by the next run, once it has picked up what was cut off'
    : `by run ${run} before its next iteration`;
}

/** @throws UsageError when the active run works on another spec folder */
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
