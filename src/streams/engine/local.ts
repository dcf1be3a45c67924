import {
  messageOf,
  type SharedLimits,
  type StreamStanding,
  type StreamState,
  type TurnOutcome,
  type TurnReport,
  type TurnUse,
} from '../../contracts/index.ts';
import { hostName, processId, systemClock } from '../../platform/index.ts';
import { type Rate, rateOf } from '../../rules/safeguards/index.ts';
import { schedule } from '../../rules/streams/index.ts';
import { refuseOddName } from '../names.ts';
import type { Engine, EngineOptions, Submission, TakeTurn, Turn } from './port.ts';

interface LocalOptions extends EngineOptions {
  /** No stream continues before that moment (epoch ms), though some are left; called once for each. Must not throw. */
  readonly onRest?: (until: number) => void;
}

interface UnderWay {
  readonly since: number;
  readonly abort: AbortController;
  readonly settled: Promise<void>;
}

/**
 * The engine in this process: it needs no service and stores nothing. The streams' work is in their work trees, so the
 * next engine continues where this one was killed.
 */
export function openLocalEngine(options: LocalOptions): Engine {
  const { now } = systemClock;
  const { capacity, concurrency, attempts, turnTimeoutMs } = options;
  const worker = `${hostName()}-${processId()}`;
  const openedAt = now();
  const streams = new Map<string, LocalStream>();
  const underWay = new Map<string, UnderWay>();
  const limits = trackLimits(options.limits, options.usedBefore, now);
  const bell = alarm();
  let draining = false;
  let restsUntil: number | null = null;

  const change = (stream: LocalStream) => void streams.set(stream.stream, stream);
  const known = (name: string, when: (stream: LocalStream) => boolean): LocalStream | null => {
    const stream = streams.get(name);
    return stream !== undefined && when(stream) ? stream : null;
  };

  async function attempt(name: string, take: TakeTurn, signal: AbortSignal): Promise<void> {
    const { task, turns, attempts: nth } = streams.get(name) as LocalStream;
    let report: TurnReport;
    try {
      report = await take({ stream: name, task, n: turns + 1, attempt: nth, left: limits.left(), signal });
    } catch (error) {
      const stream = known(name, ({ state }) => state === 'working');
      if (stream) change(threw(stream, error, attempts, now()));
      return;
    }
    limits.add(name, report);
    const stream = streams.get(name) as LocalStream;
    const costUsd = stream.costUsd + report.used.costUsd;
    // A stream cancelled meanwhile stays cancelled, however its turn ended.
    change({ ...(stream.state === 'working' ? turned(stream, report.outcome, now()) : stream), costUsd });
  }

  function begin(name: string, take: TakeTurn): void {
    const since = now();
    const abort = new AbortController();
    change(begun(streams.get(name) as LocalStream, since));
    const timer = turnTimeoutMs === null ? undefined : setTimeout(() => abort.abort('timeout'), turnTimeoutMs);
    const settled = attempt(name, take, abort.signal).finally(() => {
      clearTimeout(timer);
      underWay.delete(name);
      bell.ring();
    });
    underWay.set(name, { since, abort, settled });
  }

  function plan() {
    // One reading of the clock: a start that leaves the hour between two of them would never be waited for.
    const at = now();
    const begins = [...underWay.values()].map(({ since }) => since);
    return schedule({
      // A cancelled turn takes time to end: until then its stream gets no other.
      streams: [...streams.values()].filter(({ stream, state }) => state === 'working' || !underWay.has(stream)),
      working: underWay.size,
      capacity,
      concurrency,
      rate: limits.rate(begins, at),
      heldUntil: limits.heldUntil(),
      now: at,
    });
  }

  return {
    async submit(submission) {
      refuseOddName(submission.stream);
      const before = streams.get(submission.stream);
      if (before !== undefined && !isOver(before)) return 'already';
      // In submission order, also for a second submission.
      streams.delete(submission.stream);
      change(newStream(submission, now()));
      bell.ring();
      return 'submitted';
    },
    async work(take) {
      while (!draining) {
        await limits.refresh();
        const { start, wakeAt } = plan();
        // One stream's turn may have cancelled another.
        for (const name of start) if (known(name, (stream) => !isOver(stream))) begin(name, take);
        if (underWay.size === 0) {
          if (wakeAt === null) break;
          if (wakeAt !== restsUntil) options.onRest?.(wakeAt);
          restsUntil = wakeAt;
        }
        await bell.until(wakeAt);
      }
      await Promise.all([...underWay.values()].map(({ settled }) => settled));
    },
    async cancel(name) {
      const stream = known(name, (one) => !isOver(one));
      if (stream === null) return false;
      change({ ...ready(stream, now()), state: 'cancelled' });
      underWay.get(name)?.abort.abort('stopped');
      bell.ring();
      return true;
    },
    async retry(name) {
      const stream = known(name, waitsForWord);
      if (stream === null) return false;
      change({ ...ready(stream, now()), attempts: 0 });
      limits.lift(name);
      bell.ring();
      return true;
    },
    status: async () =>
      [...streams.values()].map(({ task: _, since: __, ...standing }) => ({
        ...standing,
        worker: standing.state === 'working' ? worker : null,
      })),
    workers: async () => [
      {
        worker,
        host: hostName(),
        capacity,
        streams: [...underWay.keys()],
        state: draining ? 'draining' : 'working',
        since: openedAt,
      },
    ],
    async drain() {
      draining = true;
      bell.ring();
    },
    async close() {
      draining = true;
      for (const { abort } of underWay.values()) abort.abort('terminated');
      bell.ring();
      await Promise.all([...underWay.values()].map(({ settled }) => settled));
    },
  };
}

/** What the engine in this process knows of a stream; replaced, never mutated. */
interface LocalStream extends Omit<StreamStanding, 'worker'> {
  readonly task: unknown;
  /** Epoch ms since when it is in its state. */
  readonly since: number;
}

function newStream({ stream, task }: Submission, now: number): LocalStream {
  return {
    stream,
    task,
    state: 'ready',
    since: now,
    turns: 0,
    attempts: 0,
    until: null,
    text: '',
    costUsd: 0,
    ended: null,
  };
}

/** It continues with a clean state. */
function ready(stream: LocalStream, now: number): LocalStream {
  return { ...stream, state: 'ready', since: now, until: null, text: '' };
}

function begun(stream: LocalStream, now: number): LocalStream {
  return { ...ready(stream, now), state: 'working', attempts: stream.attempts + 1 };
}

function turned(stream: LocalStream, outcome: TurnOutcome, now: number): LocalStream {
  const after = { ...ready(stream, now), turns: stream.turns + 1, attempts: 0 };
  switch (outcome.kind) {
    case 'next':
      return after;
    case 'later':
      return { ...after, state: 'later', until: outcome.until, text: outcome.text };
    case 'done': {
      const { reason, exitCode, text } = outcome;
      return { ...after, state: 'done', text, ended: { reason, exitCode } };
    }
  }
}

/** A turn threw: it is tried again, unless its attempts are used up. */
function threw(stream: LocalStream, error: unknown, attempts: number, now: number): LocalStream {
  const state: StreamState = stream.attempts < attempts ? 'ready' : 'failed';
  return { ...ready(stream, now), state, text: messageOf(error) };
}

const OVER: readonly StreamState[] = ['done', 'cancelled', 'failed'];

/** It changes only on request. */
function isOver({ state }: LocalStream): boolean {
  return OVER.includes(state);
}

/** Whether a request lets it continue. */
function waitsForWord({ state }: LocalStream): boolean {
  return state === 'failed' || state === 'cancelled' || state === 'later';
}

const HOUR_MS = 3_600_000;
/** Maximum age of others' usage: it is read from the ledgers of all work trees. */
const REFRESH_MS = 5_000;

/** The limits that streams share, and their usage. */
function trackLimits(limits: SharedLimits, usedBefore: () => Promise<TurnUse>, now: () => number) {
  let others: TurnUse = { costUsd: 0, tokens: 0, calls: [] };
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let own: TurnUse = { costUsd: 0, tokens: 0, calls: [] };
  let held: { readonly until: number; readonly by: string } | null = null;
  return {
    async refresh(): Promise<void> {
      const noLimits = limits.calls === null && limits.maxCost === null && limits.maxTokens === null;
      if (noLimits || now() - refreshedAt < REFRESH_MS) return;
      others = await usedBefore();
      refreshedAt = now();
    },
    /** @param underWay epoch ms of the active turns that have not reported yet what they started */
    rate(underWay: readonly number[], at: number): Rate | null {
      if (limits.calls === null) return null;
      const extra = [...others.calls, ...own.calls, ...underWay];
      return rateOf({ ledger: [], now: at, limit: limits.calls, extra });
    },
    left: (): Turn['left'] => ({
      costUsd: leftOf(limits.maxCost, others.costUsd + own.costUsd),
      tokens: leftOf(limits.maxTokens, others.tokens + own.tokens),
    }),
    /** Epoch ms until which none may start; null: no such limit. */
    heldUntil: () => held?.until ?? null,
    add(stream: string, { outcome, used: { costUsd, tokens, calls } }: TurnReport): void {
      const since = now() - HOUR_MS;
      own = {
        costUsd: own.costUsd + costUsd,
        tokens: own.tokens + tokens,
        calls: [...own.calls, ...calls].filter((at) => at > since),
      };
      if (outcome.kind !== 'later' || !outcome.all || outcome.until === null) return;
      if (held === null || outcome.until > held.until) held = { until: outcome.until, by: stream };
    },
    /** Drops the hold that a stream reported for all. */
    lift(stream: string): void {
      if (held?.by === stream) held = null;
    },
  };
}

function leftOf(limit: number | null, used: number): number | null {
  return limit === null ? null : Math.max(0, limit - used);
}

/** The longest wait of a Node timer, milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** An alarm to wait for: for a time, or until it rings. */
function alarm() {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    /** Ends the current wait, else the next one: no ring is lost. */
    ring(): void {
      rung = true;
      wake?.();
    },
    /** @param at epoch ms; null: until it rings. It may end early. */
    async until(at: number | null): Promise<void> {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const ms = at === null ? null : Math.min(LONGEST_MS, Math.max(0, at - Date.now()));
          const timer = ms === null ? undefined : setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = null;
      rung = false;
    },
  };
}
