import { EVENTS_VERSION, type RalphEvent } from '../../../contracts/events.ts';
import { type OpenedInside, openInside } from '../../../platform/files/files-inside.ts';
import { bytesBefore, type ScanPlace, scanLines } from '../../../platform/files/scan-lines.ts';
import { runFolder } from '../paths.ts';
import { refuseLaterVersion } from '../records/state-file.ts';
import { agentLineTest, parseEvent, parseObject } from './event-line.ts';

/** Takes an event and its 0-based line; line 0 is the header. */
export type SeeEvent = (event: RalphEvent, line: number) => void;

export interface AdvanceOptions {
  /** Leave out what agents do, without parsing it: nearly all of a long log. */
  readonly headlines?: boolean;
  /** Milliseconds after which a part is enough; the next call goes on from there. */
  readonly budgetMs?: number;
}

/** `grown`: there may be more. `replaced`: another log is there now; what was seen is void, the next call starts anew. */
export type Advance = 'same' | 'grown' | 'replaced';

/**
 * The event log of a run as somebody reads it who watches: from its start on, and then what was appended. It holds no
 * file open, so that the log may be removed and made again at any time.
 */
export interface EventFile {
  readonly root: string;
  readonly run: string;
  /**
   * Reads on. A last line that is not whole yet waits, one that holds no event is counted and left out. While there is
   * no log nothing changes.
   * @throws StateError when the log is of a later version
   */
  advance(see: SeeEvent, options?: AdvanceOptions): Promise<Advance>;
  /** How many lines were read. */
  lines(): number;
  /** Events of at most `count` lines from line `from` on, among those that were read. */
  read(from: number, count: number): Promise<readonly (readonly [line: number, event: RalphEvent])[]>;
  /** Ends a reading that is under way; nothing is read from here on. */
  close(): void;
}

/** Every so many lines one byte offset is kept. */
const STRIDE = 256;
const CHUNK_BYTES = 1024 * 1024;
const READ_CHUNK_BYTES = 128 * 1024;
/** So many of the last bytes that were read must still be there: else it is another log of the same size or larger. */
const MARK_BYTES = 64;

type Opened = Extract<OpenedInside, { size: number }>;
const START: ScanPlace = { at: 0, inLongLine: false };

/** The log of a run, which need not be there yet. Nothing is read before the first {@link EventFile.advance}. */
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

  /** Opened afresh for every look: links are not followed, and what was replaced is noticed. */
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
      // One after the other: two at once would see every event twice.
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
  const found = parseObject(header);
  if (found?.['type'] === 'log')
    refuseLaterVersion(path, { name: 'event log', version: EVENTS_VERSION }, found['version']);
}
