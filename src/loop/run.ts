import { hostname } from 'node:os';
import { COMPLETE_FILE } from '../adapters/plugins/ralph-complete.ts';
import { appendLedger, readLedger } from '../adapters/workspace/ledger.ts';
import { startMarker } from '../adapters/workspace/marker.ts';
import { acquireRunLock } from '../adapters/workspace/run-lock.ts';
import { newRunId, readRunRecord, writeRunRecord } from '../adapters/workspace/run-record.ts';
import { ensureMarkerExcluded } from '../adapters/workspace/state-folder.ts';
import type { Config } from '../contracts/config.ts';
import { EVENTS_VERSION, type EventBody, type EventSink } from '../contracts/events.ts';
import type { EndReason } from '../contracts/model.ts';
import { LEDGER_VERSION, RUN_RECORD_VERSION, type RunRecord } from '../contracts/state.ts';
import { crashpoint } from '../platform/crashpoint.ts';
import { keepHeapSmall } from '../platform/small-heap.ts';
import { breakerOf } from '../rules/safeguards/breaker.ts';
import { limitsOf } from '../rules/steering/steering.ts';
import { announceEstimate } from './announce-estimate.ts';
import { takeBaseline } from './baseline.ts';
import type { RunContext, RunPorts, RunRequest } from './context.ts';
import { egressLog } from './egress.ts';
import { eventStream } from './events.ts';
import { pluginDesk } from './plugins.ts';
import { callsBefore } from './recent-calls.ts';
import { recover } from './recover.ts';
import { iterateUntilDone } from './rounds.ts';
import { backlogTeller } from './show-backlog.ts';
import { commitBookkeeping, prepareRepository } from './start.ts';
import { followStatus } from './status.ts';
import { openSteering, startAgain } from './steering.ts';
import { countStories, type RunSummary, summarise } from './summary.ts';

export interface RunInput extends RunPorts {
  readonly config: Config;
  readonly request: RunRequest;
  /** ralph's own version, for the record. */
  readonly version: string;
  /** Backends that isolate better than the one taken, and why they were not. */
  readonly isolationInstead: readonly string[];
  /** Lines for `info/exclude`: what the isolation puts into the work tree. */
  readonly planted: readonly string[];
  /** What the start found out that a person should read. */
  readonly notices: readonly Notice[];
  /** Sees every event; must not throw. */
  readonly onEvent: EventSink;
}

type Notice = Omit<Extract<EventBody, { type: 'notice' }>, 'type'>;

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
    const problems: string[] = [];
    const ledger = [...(await readLedger(stateDir, (problem) => problems.push(problem)))];
    if (resumed) await startAgain({ stateDir, run, ledger, given: input.request.limits, at: startedAt });
    const kept = resumed ? previous : null;
    const limits = kept?.limits ?? limitsOf(config);
    const record: RunRecord = {
      version: RUN_RECORD_VERSION,
      run,
      startedAt: kept?.startedAt ?? startedAt,
      host: holder.host,
      pid: holder.pid,
      specDir: workspace.specDir,
      baseline: kept?.baseline ?? null,
      maxIterations: limits.maxIterations,
      limits,
      waiting: kept?.waiting ?? null,
      waitedMs: kept?.waitedMs ?? 0,
      ended: null,
    };
    const control = await input.openControl(run);
    const stopNow = new AbortController();
    const signal = AbortSignal.any([input.signal, stopNow.signal]);
    const status = await followStatus({ root, run, resumed });
    const events = eventStream(root, run, clock, (event) => {
      status.see(event);
      control.publish(event);
      plugins.see(event);
      input.onEvent(event);
    });
    const { emit, agentOutput } = events;
    const plugins = pluginDesk({ config, root, env: input.env, emit, run });
    for (const text of problems) emit(0, { type: 'notice', level: 'warning', text });
    const egress = egressLog((body) => emit(context.iterationNow, body), clock);
    const steering = await openSteering({
      stateDir,
      run,
      limits,
      maxAllowedIterations: config.maxAllowedIterations,
      ledger,
      emit,
      onStopNow: () => stopNow.abort('stopped'),
    });
    const context: RunContext = {
      ...input,
      signal,
      run,
      control,
      steering,
      plugins,
      emit,
      showBacklog: backlogTeller(emit),
      agentOutput,
      egress,
      iterationNow: 0,
      iterationStartedAt: null,
      record,
      ledger,
    };
    try {
      // Before the recovery: it may have to run checks.
      const insides = new Set([input.isolation, input.checksIsolation]);
      const begin = { run, localPorts: [portOf(control.url)], onRefusal: egress.refused };
      await Promise.all([...insides].map((inside) => inside.prepare(begin)));
      return await runUnderLock(context, { ...input, resumed, openEvents: events.open });
    } catch (error) {
      await endBadly(context, previous);
      throw error;
    } finally {
      await Promise.all([input.isolation.dispose(), input.checksIsolation.dispose()]);
      await plugins.close();
      steering.close();
      await status.settled();
      events.close();
      await control.close();
    }
  } finally {
    await lock.release();
  }
}

interface UnderLock extends Pick<RunInput, 'version' | 'isolationInstead' | 'planted' | 'notices'> {
  readonly resumed: boolean;
  readonly openEvents: () => Promise<void>;
}

async function runUnderLock(context: RunContext, start: UnderLock): Promise<RunSummary> {
  const { resumed, version, openEvents } = start;
  const { agents, git, config, workspace, clock, isolation } = context;
  await ensureMarkerExcluded(git.repo.commonDir, [`/${COMPLETE_FILE}`, ...start.planted]);
  await recover(context);
  // After it: what an agent did to them when a crash cut it off is put back by now.
  await context.plugins.open();
  if (context.request.resetCircuit) await closeBreaker(context);
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
    agent: agents.map(({ name }) => name).join(', '),
    model: config.model,
    isolation: isolation.name,
    ...(start.isolationInstead.length > 0 ? { isolationInstead: start.isolationInstead } : {}),
    branch: await git.currentBranch(),
    maxIterations: context.steering.limits().maxIterations,
    stories: countStories(backlog.stories),
    pid: context.record.pid,
    limits: context.steering.limits(),
    recentCalls: callsBefore(context),
    breaker: breakerOf(context.ledger, config.circuit).state,
    ...(backlog.format === 'prompt' ? { lonePrompt: true as const } : {}),
  });
  context.showBacklog(backlog);
  for (const notice of start.notices) context.emit(0, { type: 'notice', ...notice });
  const marker = await startMarker(git.repo.root, {
    run: context.run,
    config,
    isolation: isolation.name,
    controlServer: context.control.url,
    clock,
  });
  try {
    await takeBaseline(context, backlog);
    if (backlog.format !== 'prompt') announceEstimate(context, backlog.stories);
    const end = await iterateUntilDone(context, marker);
    await commitBookkeeping(context, `end of run ${context.run}`);
    await git.refreshIndex();
    await endRun(context, end.reason);
    return await summarise(context, end);
  } finally {
    await marker.remove();
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** As `ralph circuit reset` does it. */
async function closeBreaker({ ledger, git, clock, config }: RunContext): Promise<void> {
  if (breakerOf(ledger, config.circuit).state === 'closed') return;
  const line = { version: LEDGER_VERSION, kind: 'circuit-reset', at: clock.now() } as const;
  await appendLedger(git.repo.stateDir, line);
  ledger.push(line);
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
