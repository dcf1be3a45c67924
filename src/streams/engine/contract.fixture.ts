import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import {
  counting,
  DEFAULTS,
  done,
  ends,
  Log,
  later,
  type MakeEngine,
  NO_LIMITS,
  NOTHING,
  names,
  next,
  pause,
  reaches,
  report,
  run,
  standing,
  standingOf,
  submit,
  withEngine,
} from './contract-support.fixture.ts';
import type { Turn } from './port.ts';

const HOUR_MS = 60 * 60_000;

/** What every engine does, on any storage. */
export function engineContract(name: string, make: MakeEngine): void {
  describe(`${name} as an engine`, () => {
    it('takes the turns of every stream in order, never two at once', async () => {
      const log = new Log();
      await run(make, { capacity: 4 }, names(6), log.taking(counting(4)));
      for (const stream of names(6)) expect(log.turns(stream)).toEqual([1, 2, 3, 4]);
      expect(log.overlaps).toBe(0);
      expect(log.mostAtOnce).toBeLessThanOrEqual(4);
      expect(log.mostAtOnce).toBeGreaterThan(1);
    });

    it('hands over the task that came with the stream', async () => {
      const log = new Log();
      await run(make, {}, ['a'], log.taking(counting(1)));
      expect(log.all[0]).toMatchObject({ stream: 'a', task: { of: 'a' }, n: 1, attempt: 1 });
    });

    it('keeps to its own capacity and to the concurrency of all', async () => {
      const log = new Log();
      await run(make, { capacity: 4, concurrency: 2 }, names(5), log.taking(counting(2)));
      expect(log.mostAtOnce).toBe(2);
    });

    it('serves thirty streams fairly: none gets two turns ahead of another', async () => {
      const log = new Log();
      const gaps: number[] = [];
      const take = log.taking(counting(3), 5);
      await run(make, { capacity: 5 }, names(30), async (turn) => {
        gaps.push(turn.n - Math.min(...names(30).map((one) => log.turns(one).length)));
        return take(turn);
      });
      expect(Math.max(...gaps)).toBeLessThanOrEqual(2);
      expect(log.all).toHaveLength(90);
      expect(log.overlaps).toBe(0);
    });

    it('starts no more agents within an hour than allowed, those before it included', async () => {
      const leaves = Date.now() + 8000;
      const before = [leaves - HOUR_MS, leaves - HOUR_MS];
      const begun: number[] = [];
      await run(
        make,
        { capacity: 3, limits: { ...NO_LIMITS, calls: 3 }, usedBefore: async () => ({ ...NOTHING, calls: before }) },
        names(3),
        async () => {
          begun.push(Date.now());
          return { outcome: done(), used: { ...NOTHING, calls: [Date.now()] } };
        },
      );
      expect(begun.filter((at) => at < leaves)).toHaveLength(1);
      expect(begun).toHaveLength(3);
    });

    it('tells every turn what is left of the shared budgets', async () => {
      const left: Turn['left'][] = [];
      await run(
        make,
        {
          limits: { ...NO_LIMITS, maxCost: 10, maxTokens: 1000 },
          usedBefore: async () => ({ costUsd: 1, tokens: 100, calls: [] }),
        },
        ['a', 'b'],
        async (turn) => {
          left.push(turn.left);
          return { outcome: done(), used: { costUsd: 2, tokens: 200, calls: [] } };
        },
      );
      expect(left).toEqual([
        { costUsd: 9, tokens: 900 },
        { costUsd: 7, tokens: 700 },
      ]);
    });

    it('tells of no budget where there is none', async () => {
      const log = new Log();
      await run(make, {}, ['a'], log.taking(counting(1)));
      expect(log.all[0]?.left).toEqual({ costUsd: null, tokens: null });
    });

    it('lets a stream rest until its time has come, while others go on', async () => {
      const at = Date.now() + 8000;
      const begun: [string, number, number][] = [];
      await run(make, {}, ['rests', 'goes'], async ({ stream, n }) => {
        begun.push([stream, n, Date.now()]);
        return report(stream === 'rests' && n === 1 ? later(at) : done());
      });
      expect(begun.map(([stream, n]) => `${stream} ${n}`)).toEqual(['rests 1', 'goes 1', 'rests 2']);
      expect(begun[2]?.[2]).toBeGreaterThanOrEqual(at);
    });

    it('holds everybody back when one is told that all had better wait', async () => {
      const at = Date.now() + 8000;
      const begun: number[] = [];
      await run(make, {}, ['a', 'b', 'c'], async () => {
        begun.push(Date.now());
        return report(begun.length === 1 ? { ...later(at), all: true } : done());
      });
      expect(begun).toHaveLength(4);
      expect(begun.filter((one) => one >= at)).toHaveLength(3);
    });

    it('goes on before that time once the stream that was told so is retried, and no other', async () => {
      const at = Date.now() + HOUR_MS;
      const begun: string[] = [];
      await withEngine(make, {}, async (engine) => {
        await submit(engine, ['told', 'rests', 'waits']);
        const working = engine.work(async ({ stream, n }) => {
          begun.push(`${stream} ${n}`);
          if (stream === 'rests' && n === 1) return report(later(at));
          return report(stream === 'told' && n === 2 ? { ...later(at), all: true } : n < 3 ? next() : done());
        });
        await until(async () => (await standing(engine, 'told')).turns === 2);
        await wait(300);
        const before = begun.length;
        expect(await engine.retry('rests')).toBe(true);
        await wait(300);
        expect(begun).toHaveLength(before);
        expect(await engine.retry('told')).toBe(true);
        await until(async () => (await engine.status()).every(({ state }) => state === 'done'));
        await ends(engine, working);
      });
      expect(begun.filter((one) => one.startsWith('rests'))).toEqual(['rests 1', 'rests 2', 'rests 3']);
    });

    it('leaves a stream that waits for a person alone until it is retried', async () => {
      const log = new Log();
      const take = log.taking(({ n }) => (n === 1 ? later(null) : done()));
      await withEngine(make, {}, async (engine) => {
        await submit(engine, ['a', 'b']);
        const working = engine.work(({ stream, ...turn }) =>
          stream === 'a'
            ? take({ stream, ...turn })
            : pause(turn.signal, 50, report(standingOf(log) ? done() : next())),
        );
        await reaches(engine, 'a', 'later');
        expect(await standing(engine, 'a')).toMatchObject({ until: null, turns: 1, text: 'told so' });
        expect(log.turns('a')).toEqual([1]);
        expect(await engine.retry('a')).toBe(true);
        await reaches(engine, 'a', 'done');
        expect(log.turns('a')).toEqual([1, 2]);
        await ends(engine, working);
      });
    });

    it('tries a turn that throws again, then counts the stream as failed, and goes on when retried', async () => {
      const tries: [number, number][] = [];
      await withEngine(make, { attempts: 2, capacity: 2 }, async (engine) => {
        await submit(engine, ['bad', 'good']);
        const working = engine.work(async ({ stream, n, attempt, signal }) => {
          if (stream === 'good') return pause(signal, 50, report(tries.length < 3 ? next() : done()));
          tries.push([n, attempt]);
          if (tries.length < 3) throw new Error('the disk is full');
          return report(done());
        });
        await reaches(engine, 'bad', 'failed');
        expect(await standing(engine, 'bad')).toMatchObject({ attempts: 2, turns: 0 });
        expect((await standing(engine, 'bad')).text).toContain('the disk is full');
        expect(await engine.retry('bad')).toBe(true);
        await reaches(engine, 'bad', 'done');
        expect(tries).toEqual([
          [1, 1],
          [1, 2],
          [1, 1],
        ]);
        await ends(engine, working);
      });
    });

    it('ends a stream at once, in a turn or before it', async () => {
      const reasons: unknown[] = [];
      await withEngine(make, { capacity: 1 }, async (engine) => {
        await submit(engine, ['under-way', 'queued']);
        const working = engine.work(async ({ stream, signal }) => {
          if (stream === 'queued') throw new Error('it was cancelled before');
          await pause(signal, 600_000, null);
          reasons.push(signal.reason);
          return report(next());
        });
        await reaches(engine, 'under-way', 'working');
        expect(await engine.cancel('queued')).toBe(true);
        expect(await engine.cancel('under-way')).toBe(true);
        await until(async () => reasons.length > 0);
        expect(reasons).toEqual(['stopped']);
        await ends(engine, working);
        expect((await engine.status()).map(({ stream, state }) => [stream, state])).toEqual([
          ['under-way', 'cancelled'],
          ['queued', 'cancelled'],
        ]);
        expect(await engine.cancel('queued')).toBe(false);
        expect(await engine.cancel('nobody')).toBe(false);
      });
    });

    it('lets a cancelled stream go on when it is retried', async () => {
      const log = new Log();
      await withEngine(make, {}, async (engine) => {
        await submit(engine, ['a']);
        expect(await engine.cancel('a')).toBe(true);
        expect(await engine.retry('a')).toBe(true);
        expect(await engine.retry('a')).toBe(false);
        expect(await engine.retry('nobody')).toBe(false);
        const working = engine.work(log.taking(counting(2)));
        await reaches(engine, 'a', 'done');
        expect(log.turns('a')).toEqual([1, 2]);
        await ends(engine, working);
      });
    });

    it('takes a stream once, and anew when it has ended', async () => {
      const tasks: unknown[] = [];
      await withEngine(make, { capacity: 2 }, async (engine) => {
        expect(await engine.submit({ stream: 'a', task: 'first' })).toBe('submitted');
        expect(await engine.submit({ stream: 'a', task: 'second' })).toBe('already');
        await engine.submit({ stream: 'b', task: null });
        const working = engine.work(async ({ stream, task, signal }) => {
          if (stream === 'b') return pause(signal, 50, report(tasks.length < 2 ? next() : done()));
          tasks.push(task);
          return report(done());
        });
        await reaches(engine, 'a', 'done');
        expect(await standing(engine, 'a')).toMatchObject({
          ended: { reason: 'complete', exitCode: 0 },
          text: 'all done',
        });
        expect(await engine.submit({ stream: 'a', task: 'third' })).toBe('submitted');
        await until(async () => tasks.length === 2);
        await reaches(engine, 'a', 'done');
        expect(tasks).toEqual(['first', 'third']);
        await ends(engine, working);
      });
    });

    it('ends a turn that takes too long', async () => {
      const seen: unknown[] = [];
      await withEngine(make, { turnTimeoutMs: 300, attempts: 1 }, async (engine) => {
        await submit(engine, ['slow']);
        const working = engine.work(async ({ signal }) => {
          await pause(signal, 600_000, null);
          seen.push(signal.reason);
          throw new Error('ended');
        });
        await reaches(engine, 'slow', 'failed');
        expect(seen).toEqual(['timeout']);
        await ends(engine, working);
      });
    });

    it('tells what its streams and workers do, and what they cost', async () => {
      let go = false;
      await withEngine(make, { capacity: 1 }, async (engine) => {
        await submit(engine, ['a', 'b']);
        const working = engine.work(async ({ n, signal }) => {
          while (!go && n === 2 && !signal.aborted) await wait(10);
          return { outcome: n === 2 ? done() : next(), used: { costUsd: 0.5, tokens: 10, calls: [] } };
        });
        await until(async () => (await standing(engine, 'b')).turns === 1);
        await reaches(engine, 'a', 'working');
        expect(await standing(engine, 'b')).toMatchObject({ state: 'ready', turns: 1, worker: null, costUsd: 0.5 });
        const [worker] = await engine.workers();
        expect(worker).toMatchObject({ capacity: 1, streams: ['a'], state: 'working' });
        expect(await standing(engine, 'a')).toMatchObject({ attempts: 1, worker: worker?.worker });
        go = true;
        await reaches(engine, 'b', 'done');
        expect((await standing(engine, 'a')).costUsd).toBe(1);
        await ends(engine, working);
      });
    });

    it('finishes the turns under way when it is drained, and begins none', async () => {
      const log = new Log();
      await withEngine(make, { capacity: 2 }, async (engine) => {
        await submit(engine, names(4));
        const working = engine.work(log.taking(counting(50), 200));
        await until(async () => log.all.length >= 2);
        await engine.drain(true);
        await ends(engine, working);
        expect(log.underWay).toBe(0);
        const open = (await engine.status()).map(({ state }) => state);
        expect(open).toEqual(['ready', 'ready', 'ready', 'ready']);
      });
    });

    it('aborts the turns under way when it is closed', async () => {
      const reasons: unknown[] = [];
      const engine = await make({ ...DEFAULTS, capacity: 1 });
      await submit(engine, ['a']);
      const working = engine.work(async ({ signal }) => {
        reasons.push('begun');
        await pause(signal, 600_000, null);
        reasons.push(signal.reason);
        throw new Error('aborted');
      });
      await until(async () => reasons.length === 1);
      await Promise.all([engine.close(), engine.close()]);
      await engine.close();
      await working.catch(() => undefined);
      expect(reasons).toEqual(['begun', 'terminated']);
    });

    it('refuses names that would lead somewhere else', async () => {
      await withEngine(make, {}, async (engine) => {
        for (const stream of ['', '..', 'a/b', 'a b', 'ü', '-a', 'a\nb', 'x'.repeat(300)])
          await expect(engine.submit({ stream, task: null }), stream).rejects.toThrow(/name/);
        expect(await engine.status()).toEqual([]);
      });
    });
  });
}
