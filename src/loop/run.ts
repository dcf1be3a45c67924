import { hostname } from 'node:os';
import { acquireRunLock, newRunId, readLedger, readRunRecord, startMarker } from '../adapters/workspace/index.ts';
import {
  type Config,
  type EndReason,
  type EventSink,
  type RememberedNotice,
  RUN_RECORD_VERSION,
  type RunLimits,
  type RunRecord,
  type Story,
  type Waiting,
} from '../contracts/index.ts';
import { crashpoint, followSignals, thisProcess } from '../platform/index.ts';
import { estimate, iterationsUsed, type LeftBudgets, turnUse } from '../rules/safeguards/index.ts';
import { limitsOf } from '../rules/steering/index.ts';
import { begin } from './begin.ts';
import { type Between, type CleanRoom, type RunContext, saveRecord } from './context.ts';
import type { End } from './decide.ts';
import { adoptFoundChecks, takeBaseline } from './evidence/baseline.ts';
import { withChecks } from './evidence/found-checks.ts';
import { reopenLost } from './evidence/lost-work.ts';
import { egressLog } from './inside/egress.ts';
import { agentTree } from './inside/guest.ts';
import { runPlugins } from './plugins.ts';
import type { RunPorts, RunRequest, StartFacts } from './ports.ts';
import { putBackAfterChecks, takeNames } from './protect/protected-names.ts';
import { backlogTeller, eventStream } from './report/events.ts';
import { countStories, followStatus } from './report/status.ts';
import { type RunOutcome, type RunSummary, summarise } from './report/summary.ts';
import { openRoom } from './room/room.ts';
import { iterateUntilDone } from './rounds.ts';
import { commitBookkeeping } from './start.ts';
import { openSteering, startAgain } from './steering/steering.ts';

export interface RunInput extends RunPorts, StartFacts {
  readonly config: Config;
  readonly request: RunRequest;
  /** Sees every event; must not throw. */
  readonly onEvent: EventSink;
  /** What is left of budgets that this run shares with others; absent: it shares none. */
  readonly left?: LeftBudgets;
  /** Default: one story after the other. */
  readonly rounds?: Rounds;
}

/** What happens between start and end of a run. */
export type Rounds = typeof iterateUntilDone;

export async function runToEnd(
  input: Omit<RunInput, 'request'> & { readonly request: Omit<RunRequest, 'turn'> },
): Promise<RunSummary> {
  const outcome = await runLoop({ ...input, request: { ...input.request, turn: false } });
  if (outcome.kind !== 'ended') throw new Error('a run without turns stopped between two of them');
  return outcome.summary;
}

/**
 * The loop. Takes the lock, recovers what a crash left, prepares the repository, then selects and iterates until
 * something ends it, or for one iteration as a turn. Errors that a person can fix are thrown before the first
 * iteration; afterwards they end the run cleanly, with everything recorded.
 */
export async function runLoop(input: RunInput): Promise<RunOutcome> {
  const { git, clock, request } = input;
  const { stateDir } = git.repo;
  const startedAt = clock.now();
  const fresh = newRunId(startedAt);
  const holder = thisProcess(fresh, startedAt);
  const lock = await acquireRunLock(stateDir, holder);
  try {
    const previous = await readRunRecord(stateDir);
    const kept = previous?.ended === null ? previous : null;
    const run = kept?.run ?? fresh;
    if (kept) await lock.update({ ...holder, run });
    const problems: string[] = [];
    const ledger = [...(await readLedger(stateDir, (problem) => problems.push(problem)))];
    const linesBefore = ledger.length;
    // A turn is not a person's request to start again: what people told the run still applies.
    if (kept && !request.turn) await startAgain({ stateDir, run, ledger, given: request.limits, at: startedAt });
    const limits = kept?.limits ?? limitsOf(input.config);
    const record = recordOf(input, kept, { run, startedAt, limits });
    const lines = { ledger, linesBefore, problems };
    return await runRecorded(input, { previous, kept, record, limits, lines });
  } finally {
    await lock.release();
  }
}

interface Recorded {
  /** The previous content of the record. */
  readonly previous: RunRecord | null;
  /** The same, if it is of this run. */
  readonly kept: RunRecord | null;
  readonly record: RunRecord;
  readonly limits: RunLimits;
  readonly lines: Pick<RunContext, 'ledger' | 'linesBefore'> & { readonly problems: readonly string[] };
}

function recordOf(
  { workspace, clock }: RunInput,
  kept: RunRecord | null,
  { run, startedAt, limits }: { readonly run: string; readonly startedAt: number; readonly limits: RunLimits },
): RunRecord {
  return {
    version: RUN_RECORD_VERSION,
    run,
    startedAt: kept?.startedAt ?? startedAt,
    host: hostname(),
    pid: process.pid,
    specDir: workspace.specDir,
    baseline: kept?.baseline ?? null,
    ...(kept?.remembered ? { remembered: kept.remembered } : {}),
    ...(kept?.foundChecks ? { foundChecks: kept.foundChecks } : {}),
    maxIterations: limits.maxIterations,
    limits,
    waiting: goingOn(kept?.waiting ?? null, clock.now()),
    waitedMs: kept?.waitedMs ?? 0,
    between: null,
    ended: null,
  };
}

/** Each is shown once, with its count; any beyond this number are only in the log. */
const MOST_REMEMBERED = 50;

function withNotice(
  before: readonly RememberedNotice[],
  { text, fix }: { readonly text: string; readonly fix?: string },
): readonly RememberedNotice[] {
  const isKnown = before.some((notice) => notice.text === text);
  return isKnown
    ? before.map((notice) => (notice.text === text ? { ...notice, times: notice.times + 1 } : notice))
    : [...before, { text, ...(fix === undefined ? {} : { fix }), times: 1 }].slice(0, MOST_REMEMBERED);
}

/** A pause has no end time: the time while no process could resume it does not count for the run. */
function goingOn(waiting: Waiting | null, now: number): Waiting | null {
  return waiting?.until === null ? { ...waiting, since: now } : waiting;
}

/** Whether this process took the whole previous turn: another process prepares and announces itself. */
function isOurs(kept: RunRecord | null, { pid, host }: RunRecord): boolean {
  return typeof kept?.between === 'number' && !kept.cutShort && kept.pid === pid && kept.host === host;
}

/** Opens everything that a run needs, lets it continue, and closes it again. */
async function runRecorded(input: RunInput, { previous, kept, record, limits, lines }: Recorded): Promise<RunOutcome> {
  const { git, clock, config } = input;
  const { root, stateDir } = git.repo;
  const { run } = record;
  const { ledger, linesBefore } = lines;
  const control = await input.openControl();
  const stop = followSignals(input.signal);
  const continues = input.request.turn && isOurs(kept, record);
  const status = await followStatus({ root, run, resumed: kept !== null, continues });
  const events = eventStream(root, run, clock, (event) => {
    status.see(event);
    plugins.see(event);
    input.onEvent(event);
  });
  const { agentOutput } = events;
  const emit: RunContext['emit'] = (iteration, body) => {
    if (body.type === 'notice' && body.remember) context.remembered = withNotice(context.remembered, body);
    events.emit(iteration, body);
  };
  const plugins = runPlugins({ config, root, env: input.env, emit, run });
  for (const text of lines.problems) emit(0, { type: 'notice', level: 'warning', text });
  const egress = egressLog((body) => emit(context.current?.iteration ?? 0, body), clock);
  const steering = await openSteering({
    stateDir,
    run,
    limits,
    maxAllowedIterations: config.maxAllowedIterations,
    ledger,
    emit,
    onStopNow: () => stop.abort('stopped'),
  });
  let room: CleanRoom | null = null;
  const context: RunContext = {
    ...input,
    room,
    baseline: null,
    config: withChecks(config, record.foundChecks),
    signal: stop.signal,
    run,
    agentTree: agentTree({ ...input, emit }),
    control,
    steering,
    plugins,
    emit,
    showBacklog: backlogTeller(emit),
    agentOutput,
    egress,
    gone: (kept ?? previous)?.gone ?? [],
    remembered: record.remembered ?? [],
    current: null,
    record,
    saving: null,
    ledger,
    linesBefore,
    continues,
  };
  try {
    room = input.room && (await openRoom(input.room, { ...input, run, onRefusal: egress.refused }));
    context.room = room;
    // Before the recovery, which may have to run checks.
    const insides = new Set([input.isolation, input.checksIsolation]);
    const start = { run, localPorts: [Number(new URL(control.url).port)], onRefusal: egress.refused };
    await Promise.all([...insides].map((inside) => inside.prepare(start)));
    const end = await runPrepared(
      context,
      { ...input, resumed: kept !== null, openEvents: events.open },
      input.rounds ?? iterateUntilDone,
    );
    const used = turnUse(ledger.slice(linesBefore));
    return 'reason' in end ? { kind: 'ended', summary: end, used } : { kind: 'between', run, outcome: end, used };
  } catch (error) {
    // What cannot be recorded now, after a full disk for one, must not hide why.
    await endWithError(context, previous).catch(() => undefined);
    throw error;
  } finally {
    // After an error its checks may still be running.
    if (context.baseline) stop.abort('stopped');
    await context.baseline?.catch(() => undefined);
    await Promise.all([input.isolation.dispose(), input.checksIsolation.dispose(), room?.close()]);
    await plugins.close();
    steering.close();
    await status.settled();
    events.close();
    await control.close();
    stop.forget();
  }
}

async function runPrepared(
  context: RunContext,
  start: Parameters<typeof begin>[1],
  rounds: Rounds,
): Promise<RunSummary | Between> {
  const { config, git, isolation, clock, control, run } = context;
  const { backlog } = await begin(context, start);
  const marker = await startMarker(git.repo.root, {
    run,
    config,
    isolation: isolation.name,
    controlServer: control.url,
    clock,
  });
  try {
    if (!context.continues) {
      await adoptFoundChecks(context, backlog);
      // Checks run code from the tree: what they leave at protected names is as unwelcome as an agent's changes.
      const names = await takeNames(git.repo.root, context.workspace);
      await takeBaseline(context, backlog, rounds === iterateUntilDone);
      const head = (await git.resolve('HEAD')) ?? '';
      await putBackAfterChecks(context, names, { run, iteration: 0 }, { tree: head, head });
      if (backlog.format !== 'prompt') announceEstimate(context, backlog.stories);
    }
    const end = await rounds(context, marker);
    await context.baseline;
    if (!('reason' in end)) {
      await leaveOpen(context, end);
      return end;
    }
    const closed = await withoutLostWork(context, end);
    await commitBookkeeping(context, `end of run ${run}`);
    await git.refreshIndex();
    await endRun(context, closed.reason);
    return await summarise(context, closed);
  } finally {
    await marker.remove();
  }
}

/**
 * No run ends while a story counts as done whose work is lost: it is reopened, and the run is not complete. With one
 * story after the other, the rounds have already found that out; lanes and other ends come here.
 */
async function withoutLostWork(context: RunContext, end: End): Promise<End> {
  const lost = await reopenLost(context);
  if (lost.length === 0 || end.reason !== 'complete') return end;
  return { reason: 'blocked', detail: `the work of ${lost.join(', ')} is no longer on the branch: open again` };
}

/** Records why the run is over: the next start begins another one. */
async function endRun(context: RunContext, reason: EndReason): Promise<void> {
  await saveRecord(context, { ended: { reason, at: context.clock.now() } });
}

/**
 * Leaves the run to the process that takes its next turn. A signal may have cut this turn short: its iteration is
 * concluded, but a step of a normal start may be missing, so the next turn begins with a start.
 */
async function leaveOpen(context: RunContext, outcome: Between): Promise<void> {
  const later = outcome.kind === 'later' ? outcome : { until: null, why: null, text: '' };
  const { until, why, text } = later;
  context.emit(0, { type: 'turn-end', next: outcome.kind, until, why, text });
  const cut = context.signal.aborted ? ({ cutShort: true } as const) : {};
  await saveRecord(context, { between: context.clock.now(), ...cut });
  crashpoint('turn-ended');
}

/** An error also ends the run, unless it came before this run had its own record: then the next start resumes. */
async function endWithError(context: RunContext, previous: RunRecord | null): Promise<void> {
  const now = await readRunRecord(context.git.repo.stateDir);
  if (now && now.run === context.run && previous?.run !== context.run) await endRun(context, 'error');
}

/** What the remaining stories will take, against the limit. */
function announceEstimate(context: RunContext, stories: readonly Story[]): void {
  const { total, done } = countStories(stories);
  const limit = context.steering.limits().maxIterations - iterationsUsed(context.ledger, context.run);
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
