import { EVENTS_VERSION, isShowable, jsonObject, type RalphEvent } from '../../../contracts/index.ts';
import {
  bytesBefore,
  type OpenedInside,
  openInside,
  readInside,
  type ScanPlace,
  scanLines,
  type Watcher,
  watchFolder,
} from '../../../platform/index.ts';
import { runFolder } from '../paths.ts';
import { refuseLaterVersion } from '../records/state-file.ts';
import type { IterationIndex } from './events.ts';

/** Receives an event and its 0-based line; line 0 is the header. */
type SeeEvent = (event: RalphEvent, line: number) => void;

interface AdvanceOptions {
  /** Skip agents' activity without parsing it: nearly all of a long log. */
  readonly headlines?: boolean;
  /** Milliseconds after which one call stops; the next call continues there. */
  readonly budgetMs?: number;
}

/** `grown`: there may be more. `replaced`: another log is there now; discard what was seen, the next call restarts. */
type Advance = 'same' | 'grown' | 'replaced';

/**
 * The event log of a run as a watcher reads it: from its start, and then what is appended. It holds no file open, so
 * the log may be removed and made again at any time.
 */
export interface EventFile {
  readonly root: string;
  readonly run: string;
  /**
   * Reads on. An incomplete last line waits; a line without an event is counted and left out. While there is no log,
   * nothing changes.
   * @throws StateError when the log is of a later version
   */
  advance(see: SeeEvent, options?: AdvanceOptions): Promise<Advance>;
  /** Number of lines read so far. */
  lines(): number;
  /** Events of at most `count` lines from line `from` on, among the lines read so far. */
  read(from: number, count: number): Promise<readonly (readonly [line: number, event: RalphEvent])[]>;
  /** Ends a read in progress; nothing is read afterwards. */
  close(): void;
}

/** Every this many lines one byte offset is kept. */
const STRIDE = 256;
const CHUNK_BYTES = 1024 * 1024;
const READ_CHUNK_BYTES = 128 * 1024;
/** This many of the last bytes read must still be there: else it is another log of the same size or larger. */
const MARK_BYTES = 64;

type Opened = Extract<OpenedInside, { size: number }>;
const START: ScanPlace = { at: 0, inLongLine: false };

/** The log of a run, which may not exist yet. Nothing is read before the first {@link EventFile.advance}. */
export async function openEventFile(root: string, run: string): Promise<EventFile> {
  const path = `${runFolder(run)}/events.jsonl`;
  const isAgentLine = agentLineTest(run);
  let closed = false;
  let identity: string | null = null;
  let place = START;
  let mark: Buffer = Buffer.alloc(0);
  let lines = 0;
  let offsets = [0];
  let turn: Promise<unknown> = Promise.resolve();

  /** Reopened for every read: links are not followed, and a replaced file is noticed. */
  async function withFile<T>(otherwise: T, use: (file: Opened) => Promise<T>): Promise<T> {
    const opened = closed ? null : await openInside(root, path);
    if (opened === null || opened.file === null) return otherwise;
    try {
      return await use(opened);
    } finally {
      await opened.file.close();
    }
  }

  async function isOther({ file, size, identity: found }: Opened): Promise<boolean> {
    if (identity === null) return false;
    return found !== identity || size < place.at || !mark.equals(await bytesBefore(file, place.at, MARK_BYTES));
  }

  function forget(): void {
    identity = null;
    place = START;
    mark = Buffer.alloc(0);
    lines = 0;
    offsets = [0];
  }

  async function readOn(opened: Opened, see: SeeEvent, { headlines = false, budgetMs }: AdvanceOptions) {
    const { file, size } = opened;
    const before = place;
    const until = budgetMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + budgetMs;
    place = await scanLines(file, place, size, {
      chunkBytes: CHUNK_BYTES,
      goOn: () => !closed && performance.now() < until,
      onLine(bytes, start, end, next) {
        const line = lines;
        if (line === 0 && bytes) refuseLaterLog(path, bytes.toString('utf8', start, end));
        lines += 1;
        if (lines % STRIDE === 0) offsets.push(next);
        if (bytes === null || (headlines && isAgentLine(bytes, start, end))) return;
        const event = parseEvent(bytes.toString('utf8', start, end));
        if (event !== null && !(headlines && event.type === 'agent')) see(event, line);
      },
    });
    identity = opened.identity;
    mark = await bytesBefore(file, place.at, MARK_BYTES);
    return place.at === before.at ? 'same' : 'grown';
  }

  return {
    root,
    run,
    advance(see, options = {}) {
      // One after the other: two concurrent reads would see every event twice.
      const next = turn.then(() =>
        withFile<Advance>('same', async (opened) => {
          if (!(await isOther(opened))) return readOn(opened, see, options);
          forget();
          return 'replaced';
        }),
      );
      turn = next.catch(() => undefined);
      return next;
    },
    lines: () => lines,
    read(from, count) {
      const first = Math.max(0, Math.floor(from));
      const end = Math.min(first + count, lines);
      const start = offsets[Math.floor(first / STRIDE)];
      if (start === undefined || first >= end) return Promise.resolve([]);
      return withFile<readonly (readonly [number, RalphEvent])[]>([], async ({ file, identity: found }) => {
        if (found !== identity) return [];
        const events: (readonly [number, RalphEvent])[] = [];
        let line = first - (first % STRIDE);
        await scanLines(file, { at: start, inLongLine: false }, place.at, {
          chunkBytes: READ_CHUNK_BYTES,
          goOn: () => !closed && line < end,
          onLine(bytes, lineStart, lineEnd) {
            const event =
              bytes && line >= first && line < end ? parseEvent(bytes.toString('utf8', lineStart, lineEnd)) : null;
            if (event !== null) events.push([line, event]);
            line += 1;
          },
        });
        return events;
      });
    },
    close() {
      closed = true;
    },
  };
}

function refuseLaterLog(path: string, header: string): void {
  const found = jsonObject(header);
  if (found?.['type'] === 'log')
    refuseLaterVersion(path, { name: 'event log', version: EVENTS_VERSION }, found['version']);
}

/**
 * Events of a run in the order they happened. Unreadable lines are left out: a crash may tear one, and events decide
 * nothing.
 * @throws StateError when the log is of a later version.
 */
export async function readEvents(root: string, run: string): Promise<readonly RalphEvent[]> {
  const file = await openEventFile(root, run);
  const events: RalphEvent[] = [];
  while ((await file.advance((event) => events.push(event))) === 'grown');
  return events;
}

const MOST_INDEX_BYTES = 64 * 1024 * 1024;

/** The index entry of each ended iteration of a run, without reading its events. */
export async function readIndex(root: string, run: string): Promise<readonly IterationIndex[]> {
  const { bytes } = await readInside(root, `${runFolder(run)}/index.jsonl`, MOST_INDEX_BYTES);
  const lines = (bytes?.toString('utf8') ?? '').split('\n');
  return lines.flatMap((line) => {
    const entry = jsonObject(line);
    return typeof entry?.['iteration'] === 'number' && typeof entry['start'] === 'number'
      ? [entry as unknown as IterationIndex]
      : [];
  });
}

/** The polling interval, for when the system reports few changes. */
const LOOK_EVERY_MS = 1_000;
/** An agent may write thousands of lines a second: changes are gathered for this long. */
const GATHER_MS = 30;

/**
 * Calls `onChange` at once, soon after the log changed, and every second: time for another `advance`. Each call waits
 * for the promise of the one before, even a rejected one. Keeps no process alive.
 */
export function followEventFile(file: EventFile, onChange: () => Promise<unknown> | unknown): Watcher {
  let closed = false;
  let busy = false;
  let asked = false;
  let gathering: NodeJS.Timeout | null = null;
  let watcher = watchRun(file, soon);

  async function look(): Promise<void> {
    asked = true;
    if (busy) return;
    busy = true;
    while (asked && !closed) {
      asked = false;
      try {
        await onChange();
      } catch {
        // `onChange` has to report errors; they may be gone at the next call.
      }
    }
    busy = false;
  }

  function soon(): void {
    if (gathering !== null || closed) return;
    gathering = setTimeout(() => {
      gathering = null;
      void look();
    }, GATHER_MS);
    gathering.unref();
  }

  const timer = setInterval(() => {
    // The folder may have been created or replaced since.
    watcher.close();
    watcher = watchRun(file, soon);
    void look();
  }, LOOK_EVERY_MS);
  timer.unref();
  void look();
  return {
    close() {
      closed = true;
      clearInterval(timer);
      if (gathering !== null) clearTimeout(gathering);
      watcher.close();
    },
  };
}

function watchRun({ root, run }: EventFile, onChange: () => void): Watcher {
  return watchFolder(`${root}/${runFolder(run)}`, onChange);
}

const COMMA = 0x2c;
const BRACE = 0x7d;
const AFTER_ITERATION = bytesOf(',"type":"agent",');
const MOST_DIGITS = 10;

/**
 * Tells, without parsing it, whether a line is an event of an agent, as `openEventLog` writes it: these make up nearly
 * all of a long log. False when unsure.
 */
function agentLineTest(run: string): (bytes: Uint8Array, start: number, end: number) => boolean {
  const time = bytesOf('{"ts":"');
  const rest = bytesOf(`","run":${JSON.stringify(run)},"iteration":`);
  const restAt = time.length + '2026-01-01T00:00:00.000Z'.length;
  const digitsAt = restAt + rest.length;
  return (bytes, start, end) => {
    if (bytes[end - 1] !== BRACE || !startsAt(bytes, start + restAt, rest)) return false;
    const comma = bytes.indexOf(COMMA, start + digitsAt);
    return comma > 0 && comma <= start + digitsAt + MOST_DIGITS && startsAt(bytes, comma, AFTER_ITERATION);
  };
}

function startsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Characters. A longer event could not be displayed; even a large backlog is far smaller. */
const LONGEST_EVENT = 16 * 1024 * 1024;

/** The event in a line; null when there is none, or one that no version writes: agents can write to the file too. */
function parseEvent(line: string): RalphEvent | null {
  if (line.length > LONGEST_EVENT) return null;
  const value = jsonObject(line);
  return value !== null && isShowable(value) ? value : null;
}

/** The header is the first line, and short. */
const HEADER_BYTES = 4096;

/** Why a run's event log is unusable: completes "the log …"; null when it is valid, `missing` when there is no file. */
export async function logProblem(root: string, run: string): Promise<string | null> {
  const { file, ...opened } = await openInside(root, `${runFolder(run)}/events.jsonl`);
  if (file === null) return 'why' in opened ? (opened.why ?? 'missing') : 'missing';
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    if (bytesRead === 0) return 'is empty';
    const [header = ''] = buffer.toString('utf8', 0, bytesRead).split('\n');
    return jsonObject(header)?.['type'] === 'log' ? null : 'does not begin like a log of ralph';
  } finally {
    await file.close();
  }
}
