import { setTimeout as wait } from 'node:timers/promises';
import { appendLine } from '../../../platform/index.ts';
import { openDbosEngine } from './engine.ts';

/**
 * A worker as a process of its own, for tests that kill it: `worker.fixture.ts '{"url": …}'`. Every beginning and end of
 * a turn is a line in the log.
 */
export interface FixtureWorker {
  readonly url: string;
  readonly name: string;
  readonly log: string;
  readonly capacity: number;
  readonly turnMs: number;
  /** Of each stream. */
  readonly turns: number;
  readonly graceMs: number;
  readonly turnTimeoutMs: number | null;
}

export interface LogLine {
  readonly what: 'begin' | 'end' | 'aborted';
  readonly stream: string;
  readonly n: number;
  readonly attempt: number;
  readonly worker: string;
  readonly at: number;
}

const input: FixtureWorker = JSON.parse(process.argv[2] ?? '{}');
const { url, name, log, capacity, turnMs, turns, graceMs, turnTimeoutMs } = input;
const none = { costUsd: 0, tokens: 0, calls: [] };

const engine = await openDbosEngine({
  url,
  worker: name,
  pollMs: 100,
  graceMs,
  options: {
    capacity,
    concurrency: null,
    limits: { calls: null, maxCost: null, maxTokens: null },
    usedBefore: async () => none,
    attempts: 3,
    turnTimeoutMs,
  },
});
await engine.work(async ({ stream, n, attempt, signal }) => {
  const note = (what: LogLine['what']) => {
    const line: LogLine = { what, stream, n, attempt, worker: name, at: Date.now() };
    return appendLine(log, JSON.stringify(line));
  };
  await note('begin');
  if (stream === 'poison') process.kill(process.pid, 'SIGKILL');
  await wait(turnMs, undefined, { signal }).catch(() => undefined);
  await note(signal.aborted ? 'aborted' : 'end');
  if (signal.aborted) throw new Error('aborted');
  return {
    outcome: n < turns ? { kind: 'next' } : { kind: 'done', reason: 'complete', exitCode: 0, text: '' },
    used: none,
  };
});
await engine.close();
