import { hostname } from 'node:os';
import { readLedger } from '../adapters/workspace/records/ledger.ts';
import { startMarker } from '../adapters/workspace/records/marker.ts';
import { acquireRunLock } from '../adapters/workspace/records/run-lock.ts';
import { newRunId, readRunRecord } from '../adapters/workspace/records/run-record.ts';
import type { Config } from '../contracts/config.ts';
import type { EventSink } from '../contracts/events.ts';
import {
  type RememberedNotice,
  RUN_RECORD_VERSION,
  type RunLimits,
  type RunRecord,
  type Waiting,
} from '../contracts/state/run-record.ts';
import { keepHeapSmall } from '../platform/process/small-heap.ts';
import { turnUse } from '../rules/safeguards/turn-use.ts';
import { limitsOf } from '../rules/steering/steering.ts';
import { announceEstimate } from './agent/announce-estimate.ts';
import { begin, type Start } from './begin.ts';
import type { RunContext, RunPorts, RunRequest } from './context.ts';
import { endBadly, endRun, leaveOpen, withoutLostWork } from './finish.ts';
import { egressLog } from './inside/egress.ts';
import { takeBaseline } from './judge/baseline.ts';
import { adoptFoundChecks, withChecks } from './judge/found-checks.ts';
import { putBackAfterChecks, takeNames } from './keep/protected-names.ts';
import { openSteering, startAgain } from './persons/steering.ts';
import { pluginDesk } from './plugins.ts';
import { openRoom } from './room/room.ts';
import { iterateUntilDone } from './rounds.ts';
import { commitBookkeeping } from './start.ts';
import { eventStream } from './tell/events.ts';
import { backlogTeller } from './tell/show-backlog.ts';
import { followStatus } from './tell/status.ts';
import { type RunSummary, summarise } from './tell/summary.ts';
import type { Between, LeftBudgets, RunOutcome } from './turn.ts';

export interface RunInput extends RunPorts, Omit<Start, 'resumed' | 'openEvents'> {
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

/** A run until its end. */
export async function runToEnd(
  input: Omit<RunInput, 'request'> & { readonly request: Omit<RunRequest, 'turn'> },
): Promise<RunSummary> {
  const outcome = await runLoop({ ...input, request: { ...input.request, turn: false } });
  if (outcome.kind !== 'ended') throw new Error('a run that takes no turns stopped between two of them');
  return outcome.summary;
}

/**
 * The loop. Takes the lock, recovers what a crash left, prepares the repository, then selects and iterates until
 * something ends it, or as a turn for one iteration. Errors that a person can mend are thrown before the first
 * iteration; afterwards they end the run in order, with everything recorded.
 */
export async function runLoop(input: RunInput): Promise<RunOutcome> {
  const { git, clock, request } = input;
  const { stateDir } = git.repo;
  keepHeapSmall();
  const startedAt = clock.now();
  const fresh = newRunId(startedAt);
  const holder = { pid: process.pid, host: hostname(), startedAt: new Date(startedAt).toISOString(), run: fresh };
  const lock = await acquireRunLock(stateDir, holder);
  try {
    const previous = await readRunRecord(stateDir);
    const kept = previous?.ended === null ? previous : null;
    const run = kept?.run ?? fresh;
    if (kept) await lock.update({ ...holder, run });
    const problems: string[] = [];
    const ledger = [...(await readLedger(stateDir, (problem) => problems.push(problem)))];
    const linesBefore = ledger.length;
    // A turn is nobody's word: what people said of the run still holds.
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
  /** What the record said before. */
  readonly previous: RunRecord | null;
  /** The same, when it is of this run. */
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

/** Each is said once, with how often it was told; what comes after that many is in the log. */
const MOST_REMEMBERED = 50;

function withNotice(
  before: readonly RememberedNotice[],
  { text, mend }: { readonly text: string; readonly mend?: string },
): readonly RememberedNotice[] {
  const isKnown = before.some((notice) => notice.text === text);
  return isKnown
    ? before.map((notice) => (notice.text === text ? { ...notice, times: notice.times + 1 } : notice))
    : [...before, { text, ...(mend === undefined ? {} : { mend }), times: 1 }].slice(0, MOST_REMEMBERED);
}

/** A pause has no end of its own: what passed while nobody was there to resume it is no time of the run's. */
function goingOn(waiting: Waiting | null, now: number): Waiting | null {
  return waiting?.until === null ? { ...waiting, since: now } : waiting;
}

/** Whether this process took the turn before, and all of it: another one prepares and announces itself. */
function isOurs(kept: RunRecord | null, { pid, host }: RunRecord): boolean {
  return typeof kept?.between === 'number' && !kept.cutShort && kept.pid === pid && kept.host === host;
}

/** Opens everything a run stands on, lets it go on, and closes it again. */
async function runRecorded(input: RunInput, { previous, kept, record, limits, lines }: Recorded): Promise<RunOutcome> {
  const { git, clock, config } = input;
  const { root, stateDir } = git.repo;
  const { run } = record;
  const { ledger, linesBefore } = lines;
  const control = await input.openControl(run);
  const stop = followSignal(input.signal);
  const continues = input.request.turn && isOurs(kept, record);
  const status = await followStatus({ root, run, resumed: kept !== null, continues });
  const events = eventStream(root, run, clock, (event) => {
    status.see(event);
    control.publish(event);
    plugins.see(event);
    input.onEvent(event);
  });
  const { agentOutput } = events;
  const emit: RunContext['emit'] = (iteration, body) => {
    if (body.type === 'notice' && body.remember) context.remembered = withNotice(context.remembered, body);
    events.emit(iteration, body);
  };
  const plugins = pluginDesk({ config, root, env: input.env, emit, run });
  for (const text of lines.problems) emit(0, { type: 'notice', level: 'warning', text });
  const egress = egressLog((body) => emit(context.iterationNow, body), clock);
  const steering = await openSteering({
    stateDir,
    run,
    limits,
    maxAllowedIterations: config.maxAllowedIterations,
    ledger,
    emit,
    onStopNow: () => stop.abort('stopped'),
  });
  const room = input.room === null ? null : await openRoom(input.room, { ...input, run, onRefusal: egress.refused });
  const context: RunContext = {
    ...input,
    room,
    baseline: null,
    config: withChecks(config, record.foundChecks),
    signal: stop.signal,
    run,
    control,
    steering,
    plugins,
    emit,
    showBacklog: backlogTeller(emit),
    agentOutput,
    egress,
    iterationNow: 0,
    gone: (kept ?? previous)?.gone ?? [],
    remembered: record.remembered ?? [],
    iterationStartedAt: null,
    record,
    ledger,
    linesBefore,
    continues,
  };
  try {
    // Before the recovery: it may have to run checks.
    const insides = new Set([input.isolation, input.checksIsolation]);
    const start = { run, localPorts: [portOf(control.url)], onRefusal: egress.refused };
    await Promise.all([...insides].map((inside) => inside.prepare(start)));
    const end = await runPrepared(
      context,
      { ...input, resumed: kept !== null, openEvents: events.open },
      input.rounds ?? iterateUntilDone,
    );
    const used = turnUse(ledger.slice(linesBefore));
    return 'reason' in end ? { kind: 'ended', summary: end, used } : { kind: 'between', run, outcome: end, used };
  } catch (error) {
    await endBadly(context, previous);
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

async function runPrepared(context: RunContext, start: Start, rounds: Rounds): Promise<RunSummary | Between> {
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
      // Checks run what is in the tree: what they leave at protected names is no more welcome than an agent's.
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
 * A signal of the run's own that aborts with another. Unlike `AbortSignal.any` it leaves nothing behind at a signal that
 * outlives many runs.
 */
function followSignal(source: AbortSignal) {
  const own = new AbortController();
  const follow = () => own.abort(source.reason);
  if (source.aborted) follow();
  source.addEventListener('abort', follow);
  return {
    signal: own.signal,
    abort: (reason: string) => own.abort(reason),
    forget: () => source.removeEventListener('abort', follow),
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
