import { hostname } from 'node:os';
import { loadOrThrow } from '../adapters/workspace/document.ts';
import { readLedger } from '../adapters/workspace/ledger.ts';
import { type Marker, startMarker } from '../adapters/workspace/marker.ts';
import { acquireRunLock } from '../adapters/workspace/run-lock.ts';
import { newRunId, readRunRecord, writeRunRecord } from '../adapters/workspace/run-record.ts';
import { ensureMarkerExcluded } from '../adapters/workspace/state-folder.ts';
import type { Config } from '../contracts/config.ts';
import { RalphError } from '../contracts/errors.ts';
import { EVENTS_VERSION, type EventSink } from '../contracts/events.ts';
import type { Backlog, EndReason, Story } from '../contracts/model.ts';
import { RUN_RECORD_VERSION, type RunRecord } from '../contracts/state.ts';
import { crashpoint } from '../platform/crashpoint.ts';
import { keepHeapSmall } from '../platform/small-heap.ts';
import { select } from '../rules/backlog/select.ts';
import { iterationsUsed } from '../rules/safeguards/attempts.ts';
import { estimate } from '../rules/safeguards/estimate.ts';
import { checkCommands, runChecks } from './checks.ts';
import type { RunContext, RunPorts, RunRequest } from './context.ts';
import { decide } from './decide.ts';
import { eventStream } from './events.ts';
import { iterate, modeOf } from './iteration.ts';
import { recover } from './recover.ts';
import { commitBookkeeping, prepareRepository } from './start.ts';
import { followStatus, freshStatus } from './status.ts';
import { countStories, type RunSummary, summarise } from './summary.ts';

export interface RunInput extends RunPorts {
  readonly config: Config;
  readonly request: RunRequest;
  /** ralph's own version, for the record. */
  readonly version: string;
  /** Sees every event; must not throw. */
  readonly onEvent: EventSink;
}

/**
 * The loop. Takes the lock, recovers what a crash left, prepares the repository, then selects and iterates until
 * something ends it. Errors that a person can mend are thrown before the first iteration; afterwards they end the run
 * in order, with everything recorded.
 */
export async function runLoop(input: RunInput): Promise<RunSummary> {
  const { git, clock, workspace, config } = input;
  const { stateDir, root } = git.repo;
  keepHeapSmall();
  const startedAt = clock.now();
  const fresh = newRunId(startedAt);
  const holder = { pid: process.pid, host: hostname(), startedAt: new Date(startedAt).toISOString(), run: fresh };
  const lock = await acquireRunLock(stateDir, holder);
  try {
    const previous = await readRunRecord(stateDir);
    const resumed = previous !== null && previous.ended === null;
    const run = resumed ? previous.run : fresh;
    if (resumed) await lock.update({ ...holder, run });
    const record: RunRecord = {
      version: RUN_RECORD_VERSION,
      run,
      startedAt: resumed ? previous.startedAt : startedAt,
      host: holder.host,
      pid: holder.pid,
      specDir: workspace.specDir,
      baseline: resumed ? previous.baseline : null,
      maxIterations: config.maxIterations,
      ended: null,
    };
    const ledger = [...(await readLedger(stateDir))];
    const control = await input.openControl(run);
    const status = followStatus(root, freshStatus(run, config.maxIterations, startedAt));
    const events = eventStream(root, run, clock, (event) => {
      status.see(event);
      control.publish(event);
      input.onEvent(event);
    });
    const { emit, agentOutput } = events;
    const context: RunContext = { ...input, run, control, emit, agentOutput, record, ledger };
    try {
      return await runUnderLock(context, { resumed, version: input.version, openEvents: events.open });
    } catch (error) {
      await endBadly(context, previous);
      throw error;
    } finally {
      await status.settled();
      events.close();
      await control.close();
    }
  } finally {
    await lock.release();
  }
}

interface UnderLock {
  readonly resumed: boolean;
  readonly version: string;
  readonly openEvents: () => Promise<void>;
}

async function runUnderLock(context: RunContext, { resumed, version, openEvents }: UnderLock): Promise<RunSummary> {
  const { git, config, workspace, clock, isolation } = context;
  await ensureMarkerExcluded(git.repo.commonDir);
  await recover(context);
  const { backlog, file } = await prepareRepository(context);
  await openEvents();
  await writeRunRecord(git.repo.stateDir, context.record);
  crashpoint('run-started');
  context.emit(0, {
    type: 'run-start',
    version: EVENTS_VERSION,
    ralph: version,
    resumed,
    specDir: workspace.specDir,
    backlog: file,
    agent: context.agent.name,
    model: config.model,
    isolation: isolation.name,
    branch: await git.currentBranch(),
    maxIterations: config.maxIterations,
    stories: countStories(backlog.stories),
    pid: context.record.pid,
  });
  await isolation.prepare();
  const marker = await startMarker(git.repo.root, {
    run: context.run,
    config,
    isolation: isolation.name,
    controlServer: context.control.url,
    clock,
  });
  try {
    await takeBaseline(context, backlog);
    announceEstimate(context, backlog.stories);
    const reason = await iterateUntilDone(context, marker);
    await commitBookkeeping(context, `end of run ${context.run}`);
    await git.refreshIndex();
    await endRun(context, reason);
    return await summarise(context, reason);
  } finally {
    await marker.remove();
    await isolation.dispose();
  }
}

/** Select, iterate, decide; the reason why it ended. */
async function iterateUntilDone(context: RunContext, marker: Marker): Promise<EndReason> {
  const { config, workspace, request } = context;
  let iteration = lastIteration(context);
  let { document } = await loadOrThrow(workspace);
  for (;;) {
    const stopped = stoppedBy(context);
    if (stopped) return stopped;
    const { stories } = document.backlog;
    const selection = select(stories, {
      skipReview: config.skipReview,
      ...(request.only ? { only: request.only } : {}),
    });
    if (selection.kind === 'complete') return 'complete';
    if (selection.kind === 'blocked' || selection.kind === 'wait') return 'blocked';
    if (iterationsUsed(context.ledger, context.run) >= config.maxIterations) return 'iterations';
    iteration += 1;
    await marker.update(selection.story, modeOf(selection), stories);
    const line = await iterate(context, iteration, document, selection);
    ({ document } = await loadOrThrow(workspace));
    const reason = decide({ line, stopped: stoppedBy(context), request, stories: document.backlog.stories });
    if (reason) return reason;
  }
}

async function endRun(context: RunContext, reason: EndReason): Promise<void> {
  context.record = { ...context.record, ended: { reason, at: context.clock.now() } };
  await writeRunRecord(context.git.repo.stateDir, context.record);
}

/** An error ends the run too, unless it came before this run had a record of its own: then the next start resumes. */
async function endBadly(context: RunContext, previous: RunRecord | null): Promise<void> {
  const now = await readRunRecord(context.git.repo.stateDir);
  if (now && now.run === context.run && previous?.run !== context.run) await endRun(context, 'error');
}

function lastIteration({ ledger, run }: RunContext): number {
  let last = 0;
  for (const line of ledger) if (line.kind === 'iteration' && line.run === run) last = Math.max(last, line.iteration);
  return last;
}

/** The checks before the first iteration: what is red now is shown and blocks nobody, what is green must stay so. */
async function takeBaseline(context: RunContext, backlog: Backlog): Promise<void> {
  const commands = checkCommands(context.config, backlog, null);
  if (commands.length === 0) {
    const own = backlog.stories.some((story) => (story.verifyCommands ?? []).length > 0);
    if (!own) {
      context.emit(0, {
        type: 'notice',
        level: 'warning',
        text: 'NO CHECKS: nothing proves that a story works. Its receipt will say "unverified".',
        mend: `set verifyCommands in the backlog or in the configuration, e.g. ["npm test"]`,
      });
    }
    return;
  }
  if (context.record.baseline) return;
  const baseline = await runChecks(context, 0, commands, new Set());
  if (context.signal.aborted) return;
  context.emit(0, { type: 'baseline', checks: baseline });
  context.record = { ...context.record, baseline };
  await writeRunRecord(context.git.repo.stateDir, context.record);
  const red = baseline.filter((check) => !check.ok);
  if (red.length > 0 && context.config.requireGreen) {
    throw new RalphError({
      what: `${red.length} of ${baseline.length} checks fail before the first iteration`,
      where: red.map((check) => check.command).join(', '),
      why: '--require-green asks for a green start',
      mend: [
        'make them pass, then start again',
        'start without --require-green: they are shown and block nobody until they were green once',
      ],
    });
  }
}

function announceEstimate(context: RunContext, stories: readonly Story[]): void {
  const { total, done } = countStories(stories);
  const limit = context.config.maxIterations - iterationsUsed(context.ledger, context.run);
  const guess = estimate({ storiesLeft: total - done, ledger: context.ledger, skipReview: context.config.skipReview });
  const { storiesLeft, iterations: iterationsNeeded, costUsd } = guess;
  context.emit(0, {
    type: 'estimate',
    storiesLeft,
    iterationsNeeded,
    limit,
    costUsd,
    enough: iterationsNeeded <= limit,
  });
}

function stoppedBy({ signal }: RunContext): EndReason | null {
  if (!signal.aborted) return null;
  return signal.reason === 'terminated' ? 'terminated' : 'interrupted';
}
