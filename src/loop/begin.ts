import { COMPLETE_FILE } from '../adapters/plugins/ralph-complete.ts';
import { readArchiveJournal } from '../adapters/workspace/archive/journal.ts';
import { loadOrThrow } from '../adapters/workspace/backlog/document.ts';
import { trustedUnseen } from '../adapters/workspace/config/trust.ts';
import { dropOldRuns } from '../adapters/workspace/events/old-runs.ts';
import { rememberRun } from '../adapters/workspace/events/own-runs.ts';
import { isCutOff } from '../adapters/workspace/records/journal.ts';
import { appendLedger } from '../adapters/workspace/records/ledger.ts';
import { writeRunRecord } from '../adapters/workspace/records/run-record.ts';
import { closeStateFolder, ensureMarkerExcluded } from '../adapters/workspace/records/state-folder.ts';
import { UsageError } from '../contracts/errors.ts';
import { EVENTS_VERSION, type EventBody } from '../contracts/events.ts';
import { LEDGER_VERSION } from '../contracts/state/ledger.ts';
import { crashpoint } from '../platform/crashpoint.ts';
import { whatWasLeftOut } from '../platform/process/host-environment.ts';
import { ownOutputFiles } from '../platform/process/own-output.ts';
import type { BacklogDocument } from '../rules/backlog/api.ts';
import { breakerOf } from '../rules/safeguards/breaker.ts';
import { shellWord } from '../rules/shell-word.ts';
import { streamPlace } from '../rules/view/stream-place.ts';
import { callsBefore } from './agent/recent-calls.ts';
import type { RunContext } from './context.ts';
import { recover } from './recover.ts';
import { isOnItsBranch, prepareRepository } from './start.ts';
import { countStories } from './tell/count-stories.ts';

type Notice = Omit<Extract<EventBody, { type: 'notice' }>, 'type'>;

/** What a start announces beside what the context knows. */
export interface Start {
  /** ralph's own version, for the record. */
  readonly version: string;
  /** Backends that isolate better than the one taken, and why they were not. */
  readonly isolationInstead: readonly string[];
  /** Lines for `info/exclude`: what the isolation puts into the work tree. */
  readonly planted: readonly string[];
  /** What the start found out that a person should read. */
  readonly notices: readonly Notice[];
  readonly resumed: boolean;
  readonly openEvents: () => Promise<void>;
}

/**
 * From the lock to the first selection: recovery, the repository made ready, the run written down and announced. A turn
 * that goes on where this process ended the one before finds all of that done, unless somebody changed the branch since.
 * @returns the backlog as it is on the branch of the run
 */
export async function begin(context: RunContext, start: Start): Promise<BacklogDocument> {
  const { git, workspace, continues } = context;
  const { commonDir, stateDir } = git.repo;
  await closeStateFolder(git.repo.root);
  await ensureMarkerExcluded(commonDir, [`/${COMPLETE_FILE}`, ...start.planted]);
  await refuseCutOffArchive(stateDir);
  await leaveOutOwnOutput(context);
  await recover(context);
  // After it: what an agent did to them when a crash cut it off is put back by now.
  await context.plugins.open();
  if (context.request.resetCircuit) await closeBreaker(context);
  const found = continues ? (await loadOrThrow(workspace)).document : null;
  const document = found && (await isOnItsBranch(context, found)) ? found : await prepareRepository(context);
  await rememberRun(git.repo.root, stateDir, context.run);
  await start.openEvents();
  await writeRunRecord(stateDir, context.record);
  crashpoint('run-started');
  if (!continues) {
    await dropOld(context);
    await announceStart(context, start, document);
  }
  context.showBacklog(document.backlog);
  if (!continues)
    for (const notice of [...start.notices, ...startNotices()]) context.emit(0, { type: 'notice', ...notice });
  return document;
}

/** What the person's environment had from the work tree and ralph does without, and what was trusted unseen. */
function startNotices(): readonly Notice[] {
  const [left, unseen] = [whatWasLeftOut(), trustedUnseen()];
  const text = `Not used on the host, because agents can write there: ${left.join(', ')}.`;
  const mend = 'programs of the host are found outside of the work tree only';
  return [
    ...(left.length === 0 ? [] : [{ level: 'info', text, mend } as const]),
    ...(unseen.length === 0
      ? []
      : [{ level: 'info', text: `Trusted unseen, by --trust or RALPH_TRUST: ${unseen.join(', ')}.` } as const]),
  ];
}

async function announceStart(context: RunContext, start: Start, { backlog, file }: BacklogDocument): Promise<void> {
  const { agents, git, config, workspace, isolation, steering } = context;
  context.emit(0, {
    type: 'run-start',
    version: EVENTS_VERSION,
    ralph: start.version,
    resumed: start.resumed,
    specDir: workspace.specDir,
    backlog: file,
    agent: agents.map(({ name }) => name).join(', '),
    model: config.model,
    isolation: isolation.name,
    ...(start.isolationInstead.length > 0 ? { isolationInstead: start.isolationInstead } : {}),
    branch: await git.currentBranch(),
    ownTree: streamPlace(git.repo.root) !== null,
    maxIterations: steering.limits().maxIterations,
    stories: countStories(backlog.stories),
    pid: context.record.pid,
    limits: steering.limits(),
    recentCalls: callsBefore(context),
    breaker: breakerOf(context.ledger, config.circuit).state,
    ...(backlog.format === 'prompt' ? { lonePrompt: true as const } : {}),
  });
}

/** Events and logs of old runs go; what cannot be deleted stops nobody. */
async function dropOld({ git, config, run, emit }: RunContext): Promise<void> {
  try {
    await dropOldRuns(git.repo.root, config.runs.keep, new Set([run]));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    emit(0, { type: 'notice', level: 'warning', text: `Old runs could not be deleted: ${why}.` });
  }
}

/** It may have begun to renew the spec folder: what a run made of that would be neither the old loop nor the next one. */
async function refuseCutOffArchive(stateDir: string): Promise<void> {
  const journal = await readArchiveJournal(stateDir);
  if (journal === null) return;
  throw new UsageError({
    what: 'an archive was cut off',
    where: journal.folder,
    why: 'the stories of the loop are not put aside yet, and still in the way of the next one',
    mend: ['`ralph archive` finishes it'],
  });
}

/** A run that prints into its own work tree must neither commit nor put back what it prints. */
async function leaveOutOwnOutput({ git, emit }: RunContext): Promise<void> {
  const { tracked } = await git.leaveOut(ownOutputFiles(), await isCutOff(git.repo.stateDir));
  if (tracked.length === 0) return;
  emit(0, {
    type: 'notice',
    level: 'warning',
    text: `The output of this run goes into ${tracked.join(', ')}, which git tracks: it counts as a change of the agent's, and a rollback takes it back.`,
    mend: `write it elsewhere, or stop tracking it: git rm --cached -- ${tracked.map(shellWord).join(' ')}`,
  });
}

/** As `ralph circuit reset` does it. */
async function closeBreaker({ ledger, git, clock, config }: RunContext): Promise<void> {
  if (breakerOf(ledger, config.circuit).state === 'closed') return;
  const line = { version: LEDGER_VERSION, kind: 'circuit-reset', at: clock.now() } as const;
  await appendLedger(git.repo.stateDir, line);
  ledger.push(line);
}
