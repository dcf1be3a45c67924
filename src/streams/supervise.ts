import { type ConfigFlags, mainRoot, readLedger, readRunRecord, streamRoot } from '../adapters/workspace/index.ts';
import {
  describeError,
  RalphError,
  type RalphEvent,
  type RunLimits,
  type SharedLimits,
  type StreamStanding,
  type TurnReport,
} from '../contracts/index.ts';
import { exitCodeOf, startAgain } from '../loop/index.ts';
import { followSignals, type Lock, stat, systemClock } from '../platform/index.ts';
import type { Candidate } from './choose.ts';
import { openLocalEngine } from './engine/local.ts';
import type { Engine, Turn } from './engine/port.ts';
import { usedByOthers } from './facts.ts';
import type { Exchange } from './repositories/folder.ts';
import type { OpenRun } from './set-up.ts';
import { lockSupervised } from './supervisor-lock.ts';
import { type PreparedStream, prepareStream } from './tree.ts';
import { takeTurn } from './turn.ts';

/** Attempts at a turn that ends by a bug; failures that a person can fix are not retried. */
const ATTEMPTS = 2;
/** How soon a request is noticed while all streams rest. */
const LISTEN_EVERY_MS = 1_000;
const NOTHING_USED = { costUsd: 0, tokens: 0, calls: [] } as const;

interface SuperviseInput {
  readonly streams: readonly Candidate[];
  /** Of streams that share a backlog. */
  readonly exchange?: Exchange | undefined;
  readonly parallel: number;
  readonly limits: SharedLimits;
  /** Settings from the command line, for each stream. */
  readonly flags: ConfigFlags;
  /** Limits from the command line: a resumed run keeps the others. */
  readonly given: Partial<RunLimits>;
  readonly openRun: OpenRun;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the active turns gracefully; its reason is a `StopReason`. */
  readonly signal: AbortSignal;
  /** Reports to people what no event reports; must not throw. */
  readonly tell: (stream: string, text: string) => void;
  /** All streams rest until then, epoch ms; must not throw. */
  readonly onRest: (until: number) => void;
  readonly onEvent: (stream: string, event: RalphEvent) => void;
}

/** A stream that was begun here. */
interface Begun extends PreparedStream {
  readonly stateDir: string;
  /** Keeps other supervisors away, and shows that it is between two turns. */
  readonly lock: Lock;
  /** The run that its turns belong to; null before the first. */
  run: string | null;
}

/**
 * Lets streams take turns until none can continue. Their work is in their work trees: the next call continues where
 * this one was ended or killed. A stream that cannot be worked on is reported, and ends; the others continue.
 */
export async function superviseStreams(input: SuperviseInput): Promise<readonly StreamStanding[]> {
  const { streams, exchange, parallel, limits, signal } = input;
  const roots = streams.map(async ({ git, stream, shared }) =>
    streamRoot(await mainRoot(git), shared?.stream ?? stream),
  );
  const gits = [...new Map(streams.map(({ git }) => [git.repo.commonDir, git])).values()];
  const engine = openLocalEngine({
    capacity: parallel,
    concurrency: null,
    limits,
    usedBefore: await usedByOthers(gits, new Set(await Promise.all(roots))),
    attempts: ATTEMPTS,
    turnTimeoutMs: null,
    onRest: input.onRest,
  });
  const begun = new Map<string, Begun>();
  const deafen = listenForWords(engine, (stream) => begun.get(stream)?.stateDir ?? null);
  const onAbort = () => void engine.drain();
  signal.addEventListener('abort', onAbort);
  try {
    for (const { stream, finished } of streams)
      if (!finished || exchange === undefined) await engine.submit({ stream, task: null });
    while (!signal.aborted) {
      await engine.work((turn) => turnOf(input, begun, turn, engine));
      if (!signal.aborted && (await wake(input, engine))) continue;
      // Only pauses are left: a request ends one, and the user who paused a stream will send it.
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

/** A run that ended this way continues with stories that may start now. */
const GOES_ON: ReadonlySet<string> = new Set(['complete', 'blocked']);

/** Lets streams continue whose stories may start now. @returns whether there are any */
async function wake({ exchange, streams }: SuperviseInput, engine: Engine): Promise<boolean> {
  const ready = (await exchange?.look()) ?? new Set();
  if (ready.size === 0) return false;
  const known = new Map((await engine.status()).map((one) => [one.stream, one]));
  let isAny = false;
  for (const { stream } of streams) {
    const before = known.get(stream);
    const isFree = before === undefined || (before.state === 'done' && GOES_ON.has(before.ended?.reason ?? ''));
    if (!ready.has(stream) || !isFree) continue;
    if ((await engine.submit({ stream, task: null })) === 'submitted') isAny = true;
  }
  return isAny;
}

/** One turn, with any outcome. @throws only for bugs */
async function turnOf(
  input: SuperviseInput,
  begun: Map<string, Begun>,
  turn: Turn,
  engine: Engine,
): Promise<TurnReport> {
  const { stream } = turn;
  const { signal, forget } = followSignals(turn.signal, input.signal);
  try {
    const own = begun.get(stream) ?? (await beginStream(input, stream, signal));
    begun.set(stream, own);
    await input.exchange?.release(stream, own);
    const report = (await endedElsewhere(own)) ?? (await takeIt(input, own, turn, signal));
    await wake(input, engine);
    if (report.outcome.kind === 'done') await letGo(begun, stream);
    return report;
  } catch (error) {
    input.tell(stream, describeError(error));
    if (!(error instanceof RalphError)) throw error;
    await letGo(begun, stream);
    const { exitCode, facts } = error;
    return { outcome: { kind: 'done', reason: 'error', exitCode, text: facts.what }, used: NOTHING_USED };
  } finally {
    forget();
  }
}

/** Its run is over: it may be removed, or started again. */
async function letGo(begun: Map<string, Begun>, stream: string): Promise<void> {
  const own = begun.get(stream);
  begun.delete(stream);
  await own?.lock.release();
}

async function beginStream(input: SuperviseInput, stream: string, signal: AbortSignal): Promise<Begun> {
  const { flags, env, openRun, given, tell } = input;
  const candidate = input.streams.find((one) => one.stream === stream) as Candidate;
  const { git, workspace, branch, tree, refusal, shared } = candidate;
  if (refusal !== null) throw refusal;
  const prepared = await prepareStream({
    git,
    workspace,
    stream: shared?.stream ?? stream,
    // Without a work tree the backlog names it, and is read first: an unreadable one leaves nothing behind.
    ...(tree === null && shared === undefined ? {} : { branch }),
    spec: shared?.spec,
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
    // A person started it again: earlier requests are revoked.
    if (record !== null && record.ended === null)
      await startAgain({ stateDir, run: record.run, ledger: await readLedger(stateDir), given, at: Date.now() });
  } catch (error) {
    await lock.release();
    throw error;
  }
  return { ...prepared, run: null, lock };
}

/** A process that ended the run between two turns did not mean another one to begin. */
async function endedElsewhere({ stateDir, run }: Begun): Promise<TurnReport | null> {
  const record = run === null ? null : await readRunRecord(stateDir);
  if (record === null || record.run !== run || record.ended === null) return null;
  const { reason } = record.ended;
  const outcome = { kind: 'done', reason, exitCode: exitCodeOf(reason, false), text: '' } as const;
  return { outcome, used: NOTHING_USED };
}

function takeIt(input: SuperviseInput, own: Begun, { stream, left }: Turn, signal: AbortSignal): Promise<TurnReport> {
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
      onEvent(stream, event);
    },
  });
}

const LOOK_EVERY_MS = 1_000;

/**
 * Watches for steering of resting streams: people resume or stop one, answer, change a limit. Such a stream takes a
 * turn at once, which reads it.
 * @param stateDirOf where the steering of a stream is; null while it has no work tree
 * @returns a function that ends that
 */
function listenForWords(engine: Engine, stateDirOf: (stream: string) => string | null): () => void {
  const seen = new Map<string, string>();
  let looking = false;

  async function look(): Promise<void> {
    for (const { stream, state } of await engine.status()) {
      const stateDir = stateDirOf(stream);
      if (stateDir === null) continue;
      const now = await sizeOfSteering(stateDir);
      const before = seen.get(stream);
      seen.set(stream, now);
      if (state !== 'later' || before === undefined || before === now) continue;
      await engine.retry(stream);
    }
  }

  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look().finally(() => {
      looking = false;
    });
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

/** The file only grows. */
async function sizeOfSteering(stateDir: string): Promise<string> {
  const found = await stat(`${stateDir}/steering.jsonl`).catch(() => null);
  return found === null ? '' : String(found.size);
}
