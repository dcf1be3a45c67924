import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type EventFile, followEventFile, openEventFile } from '../../adapters/workspace/index.ts';
import type { RalphEvent } from '../../contracts/index.ts';
import { foldRun, type RunView } from '../../rules/view/index.ts';
import type { LinesPage, LinesQuery } from './api.ts';
import { type Frames, frameOf, openReader, type Reader, recentFrames } from './reader.ts';

/** Each holds a file open and a run in memory. */
const MOST = 16;

/**
 * Keeps runs open between requests; beyond {@link MOST} those neither used nor watched are closed, the least recently
 * used first.
 */
export function openFeeds() {
  const open = new Map<string, { readonly feed: Promise<RunFeed>; users: number }>();

  async function closeSome(): Promise<void> {
    for (const [key, entry] of open) {
      if (open.size <= MOST) return;
      const feed = await entry.feed.catch(() => null);
      if (entry.users > 0 || feed?.watched() || open.get(key) !== entry) continue;
      open.delete(key);
      await feed?.close();
    }
  }

  return {
    /**
     * Opens a run, or reuses an open one, and keeps it open for the duration of the work. @throws StateError when its log
     * cannot be read
     */
    async use<T>(root: string, run: string, work: (feed: RunFeed) => Promise<T>): Promise<T> {
      const key = `${root}\n${run}`;
      const entry = open.get(key) ?? { feed: openFeed(root, run), users: 0 };
      // Moves it to the end: a map keeps insertion order.
      open.delete(key);
      open.set(key, entry);
      entry.users += 1;
      try {
        return await work(await entry.feed);
      } catch (error) {
        // A run that could not be opened, or whose file is gone, is opened again next time.
        if (open.get(key) === entry) open.delete(key);
        void entry.feed.then((feed) => feed.close()).catch(() => {});
        throw error;
      } finally {
        entry.users -= 1;
        await closeSome();
      }
    },
    beat() {
      for (const { feed } of open.values()) void feed.then((one) => one.beat()).catch(() => {});
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.allSettled(all.map(async ({ feed }) => (await feed).close()));
    },
  };
}

/** A run in the dashboard: its log, its folded view, and its readers. */
type RunFeed = Awaited<ReturnType<typeof openFeed>>;

/** How long one look may block this process's other work. */
const BUDGET_MS = 50;
/**
 * Each look costs a write per reader: with many readers there are fewer looks, so that runs on this machine are not
 * slowed.
 */
const MANY = 16;
const BREATHER_MS = 250;
/** Read from the log at once, for a reader that is behind. */
const BEHIND_LINES = 200;

/** @throws StateError when the log is of a later version, or invalid */
async function openFeed(root: string, run: string) {
  const file = await openEventFile(root, run);
  const readers = new Set<Reader>();
  const recent = recentFrames();
  let fold = foldRun(run);
  let following: { close(): void } | null = null;
  let looking: Promise<void> | null = null;

  /** Callers during a look share it. */
  function advance(): Promise<void> {
    looking ??= catchUp().finally(() => {
      looking = null;
    });
    return looking;
  }

  async function advanceSlowly(): Promise<void> {
    await advance();
    if (readers.size > MANY) await wait(BREATHER_MS, undefined, { ref: false });
  }

  async function catchUp(): Promise<void> {
    for (;;) {
      // What agents do is read only while it is watched: it is most of a log.
      const watched = readers.size > 0;
      const see = (event: RalphEvent, line: number): void => {
        fold.see(event, line);
        if (watched) recent.add(event, line);
      };
      const before = file.lines();
      const change = await file.advance(
        see,
        watched ? { budgetMs: BUDGET_MS } : { headlines: true, budgetMs: BUDGET_MS },
      );
      if (!watched && file.lines() !== before) recent.clear();
      if (change === 'replaced') startAgain();
      if (change === 'same') return;
      for (const reader of readers) reader.wake();
    }
  }

  function startAgain(): void {
    fold = foldRun(run);
    recent.clear();
    for (const reader of readers) reader.reset();
  }

  async function frames(line: number): Promise<Frames> {
    const from = recent.from();
    if (from !== null && line >= from) return pastUnreadable(recent.after(line), line, file.lines());
    const found = await file.read(line, BEHIND_LINES);
    const text = found.map(([at, event]) => frameOf(event, at)).join('');
    return { text, next: Math.min(line + BEHIND_LINES, Math.max(line + 1, file.lines())) };
  }

  return {
    /** Reads to the current end of the log. Returns the same view as before while nothing is appended. */
    async look() {
      await advance();
      return { view: fold.view(), lines: file.lines() };
    },
    async find(query: LinesQuery): Promise<LinesPage> {
      await advance();
      return findLines(file, fold.view(), query);
    },
    /** Sends events from a line on to a started stream, for as long as it is open. */
    async join(outgoing: ServerResponse, after: number): Promise<void> {
      await advance();
      const reader = openReader(outgoing, { lines: file.lines, frames }, after);
      readers.add(reader);
      following ??= followEventFile(file, advanceSlowly);
      const leave = () => {
        readers.delete(reader);
        if (readers.size > 0) return;
        following?.close();
        following = null;
      };
      outgoing.once('close', leave);
      // A disconnected reader is not an error of the server.
      outgoing.on('error', leave);
      if (after > file.lines()) reader.reset();
      else reader.wake();
    },
    beat() {
      for (const reader of readers) reader.beat();
    },
    watched: () => readers.size > 0,
    close() {
      following?.close();
      for (const reader of readers) reader.end();
      file.close();
    },
  };
}

/** Unreadable lines have no frame, and no reader waits for them. */
function pastUnreadable(found: Frames, line: number, lines: number): Frames {
  return found.next > line ? found : { text: found.text, next: Math.max(line + 1, lines) };
}

const MOST_LINES = 1_000;
const LINES = 200;
/** Lines examined between two clock checks. */
const CHUNK = 500;
/** After this time a search returns how far it got: others wait for their answers too. */
const PAGE_BUDGET_MS = 300;

/** The lines of a log that match a query, in file order, as many as are found in its time. */
async function findLines(
  file: Pick<EventFile, 'lines' | 'read'>,
  view: RunView,
  query: LinesQuery,
): Promise<LinesPage> {
  const [low, high] = rangeOf(file.lines(), view, query);
  const wanted = matcherOf(query);
  const count = Math.min(MOST_LINES, Math.max(1, query.count ?? LINES));
  const backwards = query.backwards === true;
  const until = performance.now() + PAGE_BUDGET_MS;
  const found: (readonly [number, RalphEvent])[] = [];
  let at = backwards ? Math.min(query.from ?? high, high) : Math.max(query.from ?? low, low);
  while (backwards ? at > low : at < high) {
    const start = backwards ? Math.max(low, at - CHUNK) : at;
    const end = backwards ? at : Math.min(high, at + CHUNK);
    const chunk = (await file.read(start, end - start)).filter(([, event]) => wanted(event));
    const room = count - found.length;
    if (backwards) {
      found.unshift(...chunk.slice(-room));
      at = chunk.length > room ? (found[0]?.[0] ?? start) : start;
    } else {
      found.push(...chunk.slice(0, room));
      at = chunk.length > room ? (found.at(-1)?.[0] ?? end) + 1 : end;
    }
    if (found.length >= count || performance.now() > until) break;
  }
  const more = backwards ? at > low : at < high;
  return { events: found, next: more ? at : null };
}

/** For one iteration only its own range is searched. */
function rangeOf(lines: number, view: RunView, { iteration }: LinesQuery): readonly [low: number, high: number] {
  if (iteration === undefined || iteration === 0) return [0, lines];
  const row = view.iterations.find((one) => one.iteration === iteration);
  if (row === undefined) return [0, 0];
  return [row.from, row.endedAt === null ? lines : Math.min(lines, row.to)];
}

function matcherOf({ iteration, types, q }: LinesQuery): (event: RalphEvent) => boolean {
  const kinds = types === undefined ? null : new Set(types.split(',').map((type) => type.trim()));
  const text = q?.toLowerCase() ?? '';
  return (event) =>
    (iteration === undefined || event.iteration === iteration) &&
    (kinds === null || kinds.has(event.type) || (event.type === 'agent' && kinds.has(`agent:${event.event.type}`))) &&
    (text === '' || says(event, text));
}

/** Fields that name or place an event and hold no content. */
const NAMES: ReadonlySet<string> = new Set(['ts', 'run', 'type']);

/** Whether a text, in lower case, occurs in an event's content. */
function says(event: unknown, wanted: string): boolean {
  if (typeof event === 'string') return event.toLowerCase().includes(wanted);
  if (typeof event !== 'object' || event === null) return false;
  return Object.entries(event).some(([name, value]) => !NAMES.has(name) && says(value, wanted));
}
