import { systemClock } from '../platform/index.ts';
import type { LabResult } from '../rules/lab/index.ts';
import { sumDollars } from '../rules/text/index.ts';
import type { Planned } from './arms.ts';
import { type AttemptPorts, attempt } from './attempt.ts';
import { appendResult } from './store.ts';

export interface LabAsked {
  readonly planned: readonly Planned[];
  readonly parallel: number;
  /** US dollars of this and all earlier results; null: no limit. */
  readonly maxCost: number | null;
  readonly spent: number;
  readonly ports: AttemptPorts;
  /** After each attempt, once its result is on the disk. `leftMs`: about how long the rest takes. Must not throw. */
  readonly onResult: (result: LabResult, progress: Progress) => void;
  /** One sentence. */
  readonly tell: (text: string) => void;
}

interface Progress {
  readonly done: number;
  readonly of: number;
  readonly leftMs: number;
}

/** Why it ended, and what it left out. */
export interface LabRun {
  readonly ended: 'complete' | 'cost' | 'stopped' | 'errors';
  readonly results: readonly LabResult[];
  readonly left: number;
}

/**
 * Makes the attempts, some side by side. Each result is on the disk before the next attempt begins, so that an end at
 * any moment loses only what was under way, and nothing counts twice.
 */
export async function runLab({ planned, parallel, maxCost, spent, ports, onResult, tell }: LabAsked): Promise<LabRun> {
  const since = systemClock.now();
  const queue = [...planned];
  const results: LabResult[] = [];
  const out = new Set<string>();
  const cost = () => sumDollars([spent, ...results.map(({ costUsd }) => costUsd ?? 0)]);
  const isSpent = () => maxCost !== null && cost() >= maxCost;
  let skipped = 0;
  let failure: unknown = null;
  const work = async (): Promise<void> => {
    while (!ports.signal.aborted && !isSpent() && failure === null) {
      const next = queue.shift();
      if (next === undefined) return;
      if (out.has(next.arm.name)) {
        skipped += 1;
        continue;
      }
      const attempted = await attempt(next, ports);
      if (attempted === null) return;
      await appendResult(ports.lab, attempted.result);
      results.push(attempted.result);
      const done = results.length + skipped;
      const leftMs = ((systemClock.now() - since) / results.length) * (planned.length - done);
      onResult(attempted.result, { done, of: planned.length, leftMs });
      if (!attempted.isOut || out.has(next.arm.name)) continue;
      out.add(next.arm.name);
      if (queue.some(({ arm }) => arm.name === next.arm.name)) tell(`${next.arm.name} is left out from here on`);
    }
  };
  const guarded = () =>
    work().catch((error: unknown) => {
      failure ??= error;
    });
  await Promise.all(Array.from({ length: Math.min(parallel, planned.length) }, guarded));
  if (failure !== null) throw failure;
  const left = planned.length - results.length;
  const ended = ports.signal.aborted ? 'stopped' : left === skipped ? (skipped > 0 ? 'errors' : 'complete') : 'cost';
  return { ended, results, left };
}
