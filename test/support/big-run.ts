import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rememberRun } from '../../src/adapters/workspace/index.ts';
import type { EventBody, StoryRow } from '../../src/contracts/index.ts';
import { aRunStart } from '../../src/contracts/run-start.fixture.ts';

export interface BigRun {
  /** Of the project. */
  readonly root: string;
  readonly run: string;
  /** Lines of the log, its header apart. */
  readonly events: number;
  readonly iterations: number;
  /** The last iteration goes on. */
  readonly isLive?: boolean;
  /** Epoch ms. */
  readonly startedAt?: number;
}

/** From event to event. */
export const EVERY_MS = 100;
const USAGE = { inputTokens: 5200, outputTokens: 640, cacheReadTokens: 11_000, cacheWriteTokens: 0 };

/** Text is gathered to this length before it is written. */
const BLOCK = 1 << 20;

/**
 * Writes the event log of a run of any length, as a run would have: iterations of about the same length, each with
 * words, tool calls, tests and a verdict. A million events take a few seconds.
 *
 * @returns path of the log
 */
export async function writeBigRun(options: BigRun): Promise<string> {
  const { root, run, events, iterations, isLive = false, startedAt = Date.UTC(2026, 0, 1) } = options;
  const path = join(root, '.ralph/runs', run, 'events.jsonl');
  await mkdir(dirname(path), { recursive: true });
  const out = createWriteStream(path);
  let block = `${JSON.stringify({ type: 'log', version: 1, run })}\n`;
  let written = 0;
  for (const [iteration, body] of eventsOf(events, iterations, isLive)) {
    block += eventLine(run, startedAt + EVERY_MS * written++, iteration, body);
    if (block.length < BLOCK) continue;
    if (!out.write(block)) await once(out, 'drain');
    block = '';
  }
  out.end(block);
  await once(out, 'close');
  await ownRun(root, run);
  return path;
}

/** Makes a run that was written by hand one of this work tree, as its start does. */
export async function ownRun(root: string, run: string): Promise<void> {
  await mkdir(join(root, '.git/ralph'), { recursive: true });
  await rememberRun(join(root, '.git/ralph'), run);
}

/** One line of an event log, with its newline. */
export function eventLine(run: string, at: number, iteration: number, body: EventBody): string {
  return `${JSON.stringify({ ts: new Date(at).toISOString(), run, iteration, ...body })}\n`;
}

function* eventsOf(events: number, iterations: number, isLive: boolean): Generator<readonly [number, EventBody]> {
  const stories = Math.max(1, Math.ceil(iterations / 2));
  yield [0, runStart(iterations, stories)];
  yield [0, { type: 'backlog', whole: true, stories: Array.from({ length: stories }, (_, i) => row(i)), removed: [] }];
  const inside = events - 2 - (isLive ? 0 : 1);
  for (let i = 1; i <= iterations; i++) {
    const count = Math.floor((inside * i) / iterations) - Math.floor((inside * (i - 1)) / iterations);
    yield* iterationOf(i, count, isLive && i === iterations);
  }
  if (!isLive) yield [0, runEnd(iterations, stories, events)];
}

function* iterationOf(iteration: number, count: number, isLive: boolean): Generator<readonly [number, EventBody]> {
  const story = storyId(Math.floor((iteration - 1) / 2));
  const mode = iteration % 2 === 1 ? 'implement' : 'review';
  yield [iteration, { type: 'select', mode, story, title: `story ${story}`, attempt: 1, reviewCount: 0 }];
  yield [iteration, { type: 'agent-start', agent: 'scripted', model: null, pid: 1, try: 1 }];
  const said = count - 2 - (isLive ? 0 : 3);
  for (let i = 0; i < said; i++) yield [iteration, agentDoes(iteration, i)];
  if (isLive) return;
  yield [
    iteration,
    {
      type: 'agent-end',
      exitCode: 0,
      signal: null,
      ok: true,
      error: null,
      stopped: null,
      durationMs: EVERY_MS * said,
      costUsd: 0.04,
      usage: USAGE,
      turns: 3,
    },
  ];
  const facts = { mode, story, claim: 'ready', counts: 'good', attempts: 0 } as const;
  yield [iteration, { type: 'verdict', verdict: 'accepted', reason: 'the story is finished', ...facts }];
  yield [iteration, { type: 'iteration-end', durationMs: EVERY_MS * count, costUsd: 0.04 }];
}

/** What agents do over and over: words, a call, its answer. */
function agentDoes(iteration: number, i: number): EventBody {
  const id = `call-${Math.floor(i / 3)}`;
  if (i % 3 === 0) return { type: 'agent', event: { type: 'text', text: `Step ${i} of iteration ${iteration}.` } };
  if (i % 3 === 1) {
    return { type: 'agent', event: { type: 'tool-call', id, name: 'Bash', summary: `cat src/file-${i}.ts` } };
  }
  return { type: 'agent', event: { type: 'tool-result', id, ok: i % 30 !== 2, summary: `line one of ${i}\nline two` } };
}

function runStart(iterations: number, stories: number): EventBody {
  return aRunStart({
    agent: 'scripted',
    branch: 'ralph/big',
    maxIterations: iterations,
    stories: { total: stories, done: 0, blocked: 0 },
    pid: 1,
  });
}

function runEnd(iterations: number, stories: number, events: number): EventBody {
  return {
    type: 'run-end',
    reason: 'complete',
    exitCode: 0,
    summary: 'every story is done',
    stories: { total: stories, done: stories, blocked: 0 },
    costUsd: 0.04 * iterations,
    usage: USAGE,
    durationMs: EVERY_MS * events,
  };
}

function row(index: number): StoryRow {
  const id = storyId(index);
  const dependsOn = index > 0 && index % 3 === 0 ? [storyId(index - 1)] : [];
  return { id, title: `story ${id}`, state: 'done', priority: index + 1, dependsOn, reviewCount: 1, blocked: null };
}

function storyId(index: number): string {
  return `US-${String(index + 1).padStart(3, '0')}`;
}
