import { messageOf, type StreamStanding, type WorkerStanding } from '../../contracts/index.ts';
import { within } from '../../platform/index.ts';
import type { Fleet } from './api.ts';

export interface FleetSource {
  /** Its address without a password, for people. */
  readonly engine: string;
  /** @throws when the engine is unreachable; the message is shown */
  readonly look: () => Promise<{
    readonly streams: readonly StreamStanding[];
    readonly workers: readonly WorkerStanding[];
  }>;
  readonly close: () => Promise<void>;
}

export interface FleetFeed {
  /** At most two seconds old; null without a fleet. */
  readonly look: () => Promise<Fleet | null>;
  readonly close: () => Promise<void>;
}

/** For any number of readers: a database that many dashboards query has enough to do. */
const EVERY_MS = 2_000;
/** After this time the caller gets no answer; the query stays open, and no second one is sent. */
const PATIENCE_MS = 5_000;

/** The shown state of a fleet: the last answer, and why there is no newer one. */
export function openFleet(
  source: FleetSource | null,
  now: () => number,
  { everyMs, patienceMs } = { everyMs: EVERY_MS, patienceMs: PATIENCE_MS },
): FleetFeed {
  if (source === null) return { look: async () => null, close: async () => {} };
  let last: Fleet = { engine: source.engine, at: null, streams: [], workers: [], problem: null };
  let asking: Promise<void> | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function ask(from: FleetSource): Promise<void> {
    try {
      const { streams, workers } = await from.look();
      last = { engine: from.engine, at: now(), streams, workers, problem: null };
    } catch (error) {
      last = { ...last, problem: messageOf(error) };
    } finally {
      asking = null;
    }
  }

  return {
    async look() {
      if (asking === null && now() - askedAt >= everyMs) {
        askedAt = now();
        asking = ask(source);
      }
      if (
        asking === null ||
        (await within(
          patienceMs,
          asking.then(() => true),
        ))
      )
        return last;
      return { ...last, problem: last.problem ?? 'the database does not answer' };
    },
    close: source.close,
  };
}
