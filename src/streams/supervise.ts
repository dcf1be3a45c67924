import type { Git } from '../adapters/git/port.ts';
import type { ConfigFlags } from '../adapters/workspace/config/config.ts';
import { readLedger } from '../adapters/workspace/records/ledger.ts';
import { readRunRecord } from '../adapters/workspace/records/run-record.ts';
import { mainRoot, streamRoot } from '../adapters/workspace/worktrees/places.ts';
import { describeError, RalphError } from '../contracts/errors.ts';
import type { RalphEvent } from '../contracts/events.ts';
import type { RunLimits } from '../contracts/state/run-record.ts';
import type { SharedLimits, StreamStanding, TurnReport } from '../contracts/streams.ts';
import { exitCodeOf } from '../loop/decide.ts';
import { startAgain } from '../loop/persons/steering.ts';
import { systemClock } from '../platform/clock.ts';
import type { Lock } from '../platform/lock/lock.ts';
import type { Candidate } from './choose.ts';
import { eitherSignal } from './either-signal.ts';
import { openLocalEngine } from './engine/local/open.ts';
import type { Turn } from './engine/port.ts';
import type { OpenRun } from './open-run.ts';
import { lockSupervised } from './supervisor-lock.ts';
import { type PreparedStream, prepareStream } from './tree.ts';
import { takeTurn } from './turn.ts';
import { usedByOthers } from './used-by-others.ts';
import { listenForWords } from './words.ts';

/** Tries of a turn that ends by a bug; what a person can mend is not tried again. */
const ATTEMPTS = 2;
/** How soon a word to streams that all rest is heard. */
const LISTEN_EVERY_MS = 1_000;
const NOTHING_USED = { costUsd: 0, tokens: 0, calls: [] } as const;

export interface SuperviseInput {
  readonly git: Git;
  readonly streams: readonly Candidate[];
  /** Turns at a time. */
  readonly parallel: number;
  readonly limits: SharedLimits;
  /** Settings that the command line names, for each stream. */
  readonly flags: ConfigFlags;
  /** Limits that the command line names: a run that is resumed keeps the others. */
  readonly given: Partial<RunLimits>;
  readonly openRun: OpenRun;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the turns under way, in order; its reason is a `StopReason`. */
  readonly signal: AbortSignal;
  /** Something that no event tells, for people; must not throw. */
  readonly tell: (stream: string, text: string) => void;
  /** All of them rest until then, epoch ms; must not throw. */
  readonly onRest: (until: number) => void;
  /** Must not throw. */
  readonly onEvent: (stream: string, event: RalphEvent) => void;
}

/** A stream that was begun here. */
interface Begun extends PreparedStream {
  readonly stateDir: string;
  /** Keeps other supervisors from it, and tells that it is between two turns. */
  readonly lock: Lock;
  /** The run that its turns belong to; null before the first. */
  run: string | null;
}

/**
 * Lets streams take turns until none can go on. What they did is in their work trees: whoever calls this again goes on
 * where this one was ended or killed. One that cannot be worked on is told, and ends; the others go on.
 */
export async function superviseStreams(input: SuperviseInput): Promise<readonly StreamStanding[]> {
  const { git, streams, parallel, limits, signal } = input;
  const main = await mainRoot(git);
  const own = new Set(streams.map(({ stream }) => streamRoot(main, stream)));
  const engine = openLocalEngine({
    capacity: parallel,
    concurrency: null,
    limits,
    usedBefore: await usedByOthers(git, own),
    attempts: ATTEMPTS,
    turnTimeoutMs: null,
    onRest: input.onRest,
  });
  const begun = new Map<string, Begun>();
  const deafen = listenForWords(engine, (stream) => begun.get(stream)?.stateDir ?? null);
  const onAbort = () => void engine.drain();
  signal.addEventListener('abort', onAbort);
  try {
    for (const { stream } of streams) await engine.submit({ stream, task: null });
    while (!signal.aborted) {
      await engine.work((turn) => turnOf(input, begun, turn));
      // Only pauses are left: a word ends one, and whoever paused a stream will say it.
      const isOpen = (await engine.status()).some(({ state }) => state === 'later' || state === 'ready');
      if (!isOpen) break;
      await systemClock.sleep(LISTEN_EVERY_MS, signal);
    }
    return await engine.status();
  } finally {
    deafen();
    signal.removeEventListener('abort', onAbort);
    await engine.close();
    await Promise.all([...begun.values()].map(({ lock }) => lock.release()));
  }
}

/** One turn, whatever comes of it. @throws only what is a bug */
async function turnOf(input: SuperviseInput, begun: Map<string, Begun>, turn: Turn): Promise<TurnReport> {
  const { stream } = turn;
  const { signal, release } = eitherSignal(turn.signal, input.signal);
  try {
    const own = begun.get(stream) ?? (await beginStream(input, stream, signal));
    begun.set(stream, own);
    const report = (await endedElsewhere(own)) ?? (await takeIt(input, own, turn, signal));
    if (report.outcome.kind === 'done') await letGo(begun, stream);
    return report;
  } catch (error) {
    input.tell(stream, describeError(error));
    if (!(error instanceof RalphError)) throw error;
    await letGo(begun, stream);
    const { exitCode, facts } = error;
    return { outcome: { kind: 'done', reason: 'error', exitCode, text: facts.what }, used: NOTHING_USED };
  } finally {
    release();
  }
}

/** Its run is over: it may be removed, or started again by somebody else. */
async function letGo(begun: Map<string, Begun>, stream: string): Promise<void> {
  const own = begun.get(stream);
  begun.delete(stream);
  await own?.lock.release();
}

async function beginStream(input: SuperviseInput, stream: string, signal: AbortSignal): Promise<Begun> {
  const { git, flags, env, openRun, given, tell } = input;
  const { workspace, branch, tree, refusal } = input.streams.find((one) => one.stream === stream) as Candidate;
  if (refusal !== null) throw refusal;
  const prepared = await prepareStream({
    git,
    workspace,
    stream,
    // Without a work tree the backlog says, and is read first: one that cannot be read leaves nothing behind.
    ...(tree === null ? {} : { branch }),
    flags,
    env,
    openRun,
    signal,
    tell: (text) => tell(stream, text),
  });
  const { stateDir } = prepared;
  const lock = await lockSupervised(stream, stateDir);
  try {
    const record = await readRunRecord(stateDir);
    // A person started it again: what was asked of its earlier life is taken back.
    if (record !== null && record.ended === null)
      await startAgain({ stateDir, run: record.run, ledger: await readLedger(stateDir), given, at: Date.now() });
  } catch (error) {
    await lock.release();
    throw error;
  }
  return { ...prepared, run: null, lock };
}

/** Whoever ended the run between two turns did not mean that another one begins. */
async function endedElsewhere({ stateDir, run }: Begun): Promise<TurnReport | null> {
  const record = run === null ? null : await readRunRecord(stateDir);
  if (record === null || record.run !== run || record.ended === null) return null;
  const { reason } = record.ended;
  const outcome = { kind: 'done', reason, exitCode: exitCodeOf(reason, false), text: '' } as const;
  return { outcome, used: NOTHING_USED };
}

function takeIt(input: SuperviseInput, own: Begun, { left }: Turn, signal: AbortSignal): Promise<TurnReport> {
  const { flags, given, openRun, env, onEvent } = input;
  return takeTurn({
    root: own.root,
    stateDir: own.stateDir,
    specDir: own.specDir,
    flags,
    request: { limits: given },
    left,
    openRun,
    env,
    signal,
    onEvent(event) {
      own.run = event.run;
      onEvent(own.stream, event);
    },
  });
}
