import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { until } from '../../../test/support/until.ts';
import type { StreamStanding, TurnOutcome, TurnReport } from '../../contracts/index.ts';
import type { Engine, EngineOptions, TakeTurn, Turn } from './port.ts';

/** Opens an engine that knows of nothing yet; all it needs is removed after `close`. */
export type MakeEngine = (options: EngineOptions) => Promise<Engine>;

export const NO_LIMITS = { calls: null, maxCost: null, maxTokens: null } as const;
export const NOTHING = { costUsd: 0, tokens: 0, calls: [] } as const;
export const DEFAULTS: EngineOptions = {
  capacity: 1,
  concurrency: null,
  limits: NO_LIMITS,
  usedBefore: async () => NOTHING,
  attempts: 3,
  turnTimeoutMs: null,
};

export const next = (): TurnOutcome => ({ kind: 'next' });
export const done = (): TurnOutcome => ({ kind: 'done', reason: 'complete', exitCode: 0, text: 'all done' });
export const later = (at: number | null) =>
  ({ kind: 'later', until: at, why: 'limit', text: 'told so', all: false }) as const;
export const report = (outcome: TurnOutcome): TurnReport => ({ outcome, used: NOTHING });
export const names = (count: number) => Array.from({ length: count }, (_, i) => `PRD-${i + 1}`);
/** Done in its `last` turn. */
export const counting =
  (last: number) =>
  ({ n }: Turn): TurnOutcome =>
    n < last ? next() : done();
export const standingOf = (log: Log) => log.turns('a').length === 2;

/** What turns were taken, and how many of them at once. */
export class Log {
  readonly all: Turn[] = [];
  readonly #now = new Set<Turn>();
  overlaps = 0;
  mostAtOnce = 0;

  get underWay(): number {
    return this.#now.size;
  }

  turns(stream: string): readonly number[] {
    return this.all.filter((one) => one.stream === stream).map(({ n }) => n);
  }

  taking(outcome: (turn: Turn) => TurnOutcome, ms = 30): TakeTurn {
    return async (turn) => {
      if ([...this.#now].some(({ stream }) => stream === turn.stream)) this.overlaps++;
      this.all.push(turn);
      this.#now.add(turn);
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#now.size);
      await wait(ms);
      this.#now.delete(turn);
      return report(outcome(turn));
    };
  }
}

export async function withEngine(
  make: MakeEngine,
  options: Partial<EngineOptions>,
  body: (engine: Engine) => Promise<void>,
): Promise<void> {
  const engine = await make({ ...DEFAULTS, ...options });
  try {
    await body(engine);
  } finally {
    await engine.close();
  }
}

/** Until all of them are done. */
export async function run(
  make: MakeEngine,
  options: Partial<EngineOptions>,
  streams: readonly string[],
  take: TakeTurn,
): Promise<void> {
  await withEngine(make, options, async (engine) => {
    await submit(engine, streams);
    const working = engine.work(take);
    await until(async () => (await engine.status()).every(({ state }) => state === 'done'));
    await ends(engine, working);
  });
}

export async function submit(engine: Engine, streams: readonly string[]): Promise<void> {
  for (const stream of streams) expect(await engine.submit({ stream, task: { of: stream } })).toBe('submitted');
}

export async function ends(engine: Engine, working: Promise<void>): Promise<void> {
  await engine.drain();
  await working;
}

export async function standing(engine: Engine, stream: string): Promise<StreamStanding> {
  const found = (await engine.status()).find((one) => one.stream === stream);
  if (!found) throw new Error(`no stream ${stream}`);
  return found;
}

export async function reaches(engine: Engine, stream: string, state: StreamStanding['state']): Promise<void> {
  await until(async () => (await standing(engine, stream)).state === state);
}

export async function pause<T>(signal: AbortSignal, ms: number, value: T): Promise<T> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
  return value;
}
