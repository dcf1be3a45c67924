import type { Git } from '../../adapters/git/index.ts';
import {
  appendSteering,
  isCutOff,
  loadOrThrow,
  readLedger,
  type SteeringRequest,
  type Workspace,
} from '../../adapters/workspace/index.ts';
import { FileProblemsError, type LedgerLine, UsageError } from '../../contracts/index.ts';
import { type Applied, applyAll, wordsOf } from '../../loop/index.ts';
import { type BacklogDocument, editBacklog } from '../../rules/backlog/index.ts';
import type { PendingAddition, Steering } from '../../rules/steering/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { type LiveRun, liveRun, steeringNow } from '../shared/live-run.ts';
import { openWorkspace, withRunLock } from '../shared/open.ts';

/** What a person's words are chosen from. */
interface Now {
  /** Includes the stories that wait to be added. Words are checked against it, and again when they are applied. */
  readonly document: BacklogDocument;
  readonly specDir: string;
  readonly ledger: readonly LedgerLine[];
  readonly steering: Steering;
  /** The active run; null when there is none. */
  readonly run: string | null;
  /** The words wait: for that run, or after a crash for the next one, which may restore the backlog from before. */
  readonly isLater: boolean;
}

interface Said extends Pick<Now, 'run' | 'isLater'> {
  /** The backlog afterwards. */
  readonly document: BacklogDocument;
  /** What was applied at once, with all that waited. */
  readonly applied: readonly Applied[];
}

/**
 * Records a change of stories: appended to the steering file, then applied, at once, or by the active run before its
 * next iteration. Nothing is recorded when `choose` refuses.
 * @param command as typed, for refusals and for processes that wait for the lock
 * @throws UsageError where the run works on another spec folder, and where there is no backlog
 * @throws LockedError (exit 4) while another command is at work here
 */
export async function sayAboutStories(
  command: string,
  flags: RawFlags,
  io: Io,
  choose: (now: Now) => readonly SteeringRequest[],
): Promise<Said> {
  const { git, workspace } = await openWorkspace(flags, io);
  const { stateDir } = git.repo;
  const live = await liveRun(git);
  if (live !== null) refuseOtherFolder(live, workspace);
  const run = live?.run ?? null;
  const isLater = live !== null || (await isCutOff(stateDir));
  const say = async (): Promise<BacklogDocument> => {
    const { document: found } = await loadOrThrow(workspace);
    needStories(found, command);
    const [steering, ledger] = await Promise.all([steeringNow(git, live, io), readLedger(stateDir)]);
    const { specDir } = workspace;
    const document = withAdditions(found, specDir, steering.additions);
    for (const request of choose({ document, specDir, ledger, steering, run, isLater }))
      await appendSteering(stateDir, request);
    return document;
  };
  if (isLater) return { run, isLater, document: await say(), applied: [] };
  return withRunLock(stateDir, command, async () => {
    await say();
    const applied = await applySaid({ git, workspace }, io);
    return { run, isLater, applied, document: (await loadOrThrow(workspace)).document };
  });
}

/** Applies everything that people have said about stories; the caller holds the run lock. */
export async function applySaid(
  { git, workspace }: { readonly git: Git; readonly workspace: Workspace },
  io: Io,
): Promise<readonly Applied[]> {
  const [steering, ledger] = await Promise.all([steeringNow(git, null, io), readLedger(git.repo.stateDir)]);
  return applyAll({ git, workspace, ledger }, wordsOf(steering), Date.now);
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

/** `by run 20261122-030000-abcd before its next iteration` */
export function carriedOutBy(run: string | null): string {
  return run === null
    ? 'by the next run, after it has recovered what was cut off'
    : `by run ${run} before its next iteration`;
}

/** @throws UsageError when the active run works on another spec folder */
function refuseOtherFolder({ run, record }: LiveRun, { specDir }: Workspace): void {
  if (record === null || record.specDir === specDir) return;
  throw new UsageError({
    what: `run ${run} works on another spec folder`,
    where: record.specDir,
    why: `only a run on ${specDir} can carry out this decision`,
    fix: [`decide about the run's own stories: \`--ralph-dir ${record.specDir}\``, 'or wait until it has ended'],
  });
}

/** @throws UsageError where there is only a prompt */
function needStories({ format, file }: BacklogDocument, command: string): void {
  if (format !== 'prompt') return;
  throw new UsageError({
    what: `${command} needs a backlog, and there is only ${file}`,
    why: 'without stories, the prompt says what to do, and the agent says when it is done',
    fix: ['change the prompt itself', '`ralph init` makes a backlog'],
  });
}
