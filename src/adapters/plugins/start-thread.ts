import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { exists, type HeldTree, killFamily } from '../../platform/index.ts';
import type { Plugin, PluginStart } from '../../plugins/plugin.ts';

/** How long a plugin may take, in milliseconds. */
const LIMITS: Readonly<Record<Doing, number>> = {
  load: 10_000,
  analyze: 2_000,
  judgeTests: 2_000,
  exitWhen: 5_000,
  onEvent: 5_000,
  importIssues: 60_000,
};
/** Limit of JavaScript's heap; a plugin that needs more is ended, and nothing else is. */
const HEAP_MB = 256;
/** How long to wait at the end for the events that are still on their way. */
const LAST_EVENTS_MS = 2_000;
/** A thread that does not end within this time waits for a program that it started. */
const END_MS = 500;

interface ThreadInput extends Omit<ThreadStart, 'module'> {
  /** Absolute. */
  readonly path: string;
  /** Program of the thread; default: the bundle beside this code. */
  readonly program?: URL;
  /** The whole environment of the thread and of the programs it starts. */
  readonly env: Readonly<Record<string, string>>;
  /** Value of RALPH_RUN_ID by which the programs that the plugin started are found. */
  readonly marker: string;
  /** Called at most once: from then on every question is answered with undefined. Must not throw. */
  readonly onFailed: (failure: { readonly doing: Doing; readonly message: string }) => void;
  /** The output of the plugin, one line at a time. Must not throw. */
  readonly onLine: (line: string) => void;
}

export interface PluginThread {
  /** The plugin's own name, once it is loaded. */
  readonly name: () => string;
  readonly provides: (what: Provided) => boolean;
  /** The plugin's reply; undefined once it has failed. Never rejects, never takes longer than its limit. */
  readonly ask: (question: Question, argument: unknown) => Promise<unknown>;
  /** Fails the plugin because of an invalid reply. */
  readonly reject: (question: Question, message: string) => void;
  readonly offer: (json: string) => void;
  /** Waits briefly for the last events, then ends the thread. @returns how many events it did not handle */
  readonly close: () => Promise<number>;
}

/** Starts a plugin and waits until it is loaded or has failed. Never rejects: `onFailed` receives a failure. */
export async function startThread(input: ThreadInput): Promise<PluginThread> {
  const { name, path, start, held, env, marker, onFailed, onLine } = input;
  const workerData: ThreadStart = { module: pathToFileURL(path).href, name, start, held };
  const worker = new Worker(input.program ?? (await threadProgram()), {
    workerData,
    env: { ...env, RALPH_RUN_ID: marker },
    argv: [],
    execArgv: [],
    // Its output must not mix with the run's, least of all with `--json`.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const waiting = new Map<number, { readonly question: Question; readonly settle: (reply: unknown) => void }>();
  let loaded: Extract<FromThread, { kind: 'loaded' }> | null = null;
  let state: 'alive' | 'failed' | 'closing' = 'alive';
  let asked = 0;
  let gone: Promise<void> | null = null;
  let onSettled = () => {};
  const settled = new Promise<void>((resolve) => {
    onSettled = resolve;
  });
  const send = (message: ToThread) => worker.postMessage(message);
  const feed = eventFeed({
    send: (json) => send({ kind: 'event', json }),
    onStuck: () => fail('onEvent', tooLong('onEvent')),
    limitMs: LIMITS.onEvent,
  });

  function fail(doing: Doing, message: string): void {
    if (state !== 'alive') return;
    state = 'failed';
    gone = end();
    onFailed({ doing, message });
  }
  function end(): Promise<void> {
    feed.close();
    for (const { settle } of waiting.values()) settle(undefined);
    waiting.clear();
    onSettled();
    return endThread(worker, marker);
  }
  /** What it was doing when it died without a message. */
  function doingNow(): Doing {
    if (!loaded) return 'load';
    return [...waiting.values()].at(-1)?.question ?? (loaded.provides.includes('onEvent') ? 'onEvent' : 'load');
  }

  worker.on('message', (message: FromThread) => {
    if (state !== 'alive' && message.kind !== 'seen') return;
    if (message.kind === 'loaded') {
      loaded = message;
      onSettled();
    } else if (message.kind === 'seen') feed.seen();
    else if (message.kind === 'failed') fail(message.doing, message.message);
    else waiting.get(message.id)?.settle(JSON.parse(message.json));
  });
  worker.on('error', (error) => fail(doingNow(), lastWords(error)));
  worker.on('exit', (code) => fail(doingNow(), `it ended its thread with code ${code}`));
  eachLine(worker.stdout, onLine);
  eachLine(worker.stderr, onLine);

  const stopClock = limited(LIMITS.load, () => fail('load', tooLong('load')));
  await settled;
  stopClock();

  return {
    name: () => loaded?.name ?? name,
    provides: (what) => state === 'alive' && loaded !== null && loaded.provides.includes(what),
    reject: fail,
    ask(question, argument) {
      if (state !== 'alive') return Promise.resolve(undefined);
      const id = ++asked;
      return new Promise((resolve) => {
        const stop = limited(LIMITS[question], () => fail(question, tooLong(question)));
        const settle = (reply: unknown) => {
          stop();
          waiting.delete(id);
          resolve(reply);
        };
        waiting.set(id, { question, settle });
        send({ kind: 'ask', id, question, json: JSON.stringify(argument) });
      });
    },
    offer: (json) => {
      if (state === 'alive' && loaded?.provides.includes('onEvent')) feed.offer(json);
    },
    async close() {
      if (state === 'alive') await feed.drained(LAST_EVENTS_MS);
      // For a plugin that failed, the report of its failure is enough: the events it missed are not counted.
      const missed = state === 'alive' ? feed.missed() : 0;
      if (state === 'alive') {
        state = 'closing';
        gone = end();
      }
      await gone;
      return missed;
    },
  };
}

/**
 * Ends a thread, endless loops too. One that waits for a program (`execSync`) would end only with that program, and so
 * would this process: the program is ended first.
 */
async function endThread(worker: Worker, marker: string): Promise<void> {
  const ended = worker.terminate().then(
    () => true,
    () => true,
  );
  if (await Promise.race([ended, wait(END_MS, false)])) return;
  await killFamily({ marker: marker }, 0);
  await Promise.race([ended, wait(END_MS)]);
}

/** Calls `onLate` after `limitMs`, unless the returned function is called before. */
function limited(limitMs: number, onLate: () => void): () => void {
  let over = false;
  const timer = setTimeout(() => {
    // A loop that was busy for so long finds the answer behind its timers.
    setImmediate(() => {
      if (!over) onLate();
    });
  }, limitMs);
  return () => {
    over = true;
    clearTimeout(timer);
  };
}

function tooLong(doing: Doing): string {
  return `it took longer than ${LIMITS[doing] / 1000} seconds`;
}

function lastWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? `it used more than ${HEAP_MB} MB of memory` : error.message;
}

const LONGEST_LINE = 1_000;

function eachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    for (const line of lines) if (line.trim() !== '') onLine(line.slice(0, LONGEST_LINE));
  });
}

/** The bundle beside this code. */
async function threadProgram(): Promise<URL> {
  for (const place of ['./plugin-host.js', '../plugin-host.js']) {
    const program = new URL(place, import.meta.url);
    if (await exists(fileURLToPath(program))) return program;
  }
  throw new Error('plugin-host.js is not beside the program');
}

/** Events on their way to a plugin that may be slower than the run. */
interface EventFeed {
  /** Sends an event, or drops it while too many are on their way. Never waits. */
  offer(json: string): void;
  /** The oldest event was handled. */
  seen(): void;
  /** Resolves once all are handled, or after `limitMs`. */
  drained(limitMs: number): Promise<void>;
  /** How many were dropped, or are not handled yet. */
  missed(): number;
  close(): void;
}

const MOST_EVENTS = 10_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** @param onStuck no event was handled for `limitMs` although some were on their way */
function eventFeed({
  send,
  onStuck,
  limitMs,
}: {
  readonly send: (json: string) => void;
  readonly onStuck: () => void;
  readonly limitMs: number;
}): EventFeed {
  const lengths: number[] = [];
  let underWay = 0;
  let dropped = 0;
  let dealtWith = 0;
  let timer: NodeJS.Timeout | null = null;
  let onDrained = () => {};

  function look(): void {
    const before = dealtWith;
    // A loop that was busy for so long finds the answers behind its timers.
    setImmediate(() => {
      if (timer !== null && dealtWith === before && lengths.length > 0) onStuck();
    });
  }
  function stopClock(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  }

  return {
    offer(json) {
      if (lengths.length >= MOST_EVENTS || underWay + json.length > MOST_CHARACTERS) {
        dropped += 1;
        return;
      }
      lengths.push(json.length);
      underWay += json.length;
      timer ??= setTimeout(look, limitMs);
      send(json);
    },
    seen() {
      dealtWith += 1;
      underWay -= lengths.shift() ?? 0;
      if (lengths.length > 0) timer?.refresh();
      else {
        stopClock();
        onDrained();
      }
    },
    async drained(patienceMs) {
      if (lengths.length === 0) return;
      await new Promise<void>((resolve) => {
        const patience = setTimeout(resolve, patienceMs);
        onDrained = () => {
          clearTimeout(patience);
          resolve();
        };
      });
    },
    missed: () => dropped + lengths.length,
    close() {
      stopClock();
      onDrained();
    },
  };
}

/**
 * The messages between the loop and a plugin's thread. Arguments and replies travel as JSON text: plain data by
 * construction, for any value that a plugin returns.
 */

/** The functions of a plugin that answer a question. */
export type Question = 'analyze' | 'exitWhen' | 'judgeTests' | 'importIssues';

/** Everything that a plugin may provide. */
export type Provided = keyof Omit<Plugin, 'name' | 'api'>;

export interface ThreadStart {
  /** Address of the module, `file:` */
  readonly module: string;
  /** Name of the plugin when it gives none itself. */
  readonly name: string;
  readonly start: PluginStart;
  /** The files it may load from the work tree. */
  readonly held: HeldTree;
}

export type ToThread =
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question; readonly json: string }
  | { readonly kind: 'event'; readonly json: string };

export type FromThread =
  | { readonly kind: 'loaded'; readonly name: string; readonly provides: readonly Provided[] }
  | { readonly kind: 'reply'; readonly id: number; readonly json: string }
  /** An event was handled. */
  | { readonly kind: 'seen' }
  | { readonly kind: 'failed'; readonly doing: Doing; readonly message: string };

/** What a plugin was doing when it failed. */
export type Doing = Provided | 'load';
