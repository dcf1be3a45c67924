import type { TurnReport } from '../../../contracts/streams.ts';
import { systemClock } from '../../../platform/clock.ts';
import { hostName, processId } from '../../../platform/process/process-facts.ts';
import { schedule } from '../../../rules/streams/schedule.ts';
import { refuseOddName } from '../name.ts';
import type { Engine, EngineOptions, TakeTurn } from '../port.ts';
import { alarm } from './alarm.ts';
import { limitsDesk } from './shared-limits.ts';
import { begun, cancelled, isOver, type LocalStream, newStream, ready, threw, turned, waitsForWord } from './stream.ts';

export interface LocalOptions extends EngineOptions {
  /** Nobody goes on before that moment (epoch ms), though streams are left; told once for each. Must not throw. */
  readonly onRest?: (until: number) => void;
}

/** A turn under way. */
interface UnderWay {
  readonly since: number;
  readonly abort: AbortController;
  readonly settled: Promise<void>;
}

/**
 * The engine in this process: it needs no service and keeps nothing. What the streams did is in their work trees, so
 * that another one goes on where this one was killed.
 */
export function openLocalEngine(options: LocalOptions): Engine {
  const { now } = systemClock;
  const { capacity, concurrency, attempts, turnTimeoutMs } = options;
  const worker = `${hostName()}-${processId()}`;
  const openedAt = now();
  const streams = new Map<string, LocalStream>();
  const underWay = new Map<string, UnderWay>();
  const limits = limitsDesk(options.limits, options.usedBefore, now);
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
    // One that was cancelled meanwhile stays so, whatever its turn came to.
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
    const begins = [...underWay.values()].map(({ since }) => since);
    return schedule({
      // A turn that was cancelled ends in its own time: until then its stream has no other.
      streams: [...streams.values()].filter(({ stream, state }) => state === 'working' || !underWay.has(stream)),
      working: underWay.size,
      capacity,
      concurrency,
      rate: limits.rate(begins),
      heldUntil: limits.heldUntil(),
      now: now(),
    });
  }

  return {
    async submit(submission) {
      refuseOddName(submission.stream);
      const before = streams.get(submission.stream);
      if (before !== undefined && !isOver(before)) return 'already';
      // In the order of submission, also the second time.
      streams.delete(submission.stream);
      change(newStream(submission, now()));
      bell.ring();
      return 'submitted';
    },
    async work(take) {
      while (!draining) {
        await limits.refresh();
        const { start, wakeAt } = plan();
        // The turn of one may have cancelled another.
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
      change(cancelled(stream, now()));
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
