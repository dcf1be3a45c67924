import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readText } from './files.ts';
import { appendTextSync, NEWLINE, openToAppend, PRIVATE_DIR } from './sync.ts';

/** An open log of lines, only ever appended to. */
export interface AppendLog {
  /** Writes one line (without a newline in it) in a single write; from then on it survives the death of this process. */
  append(line: string): void;
  /** Returns once every appended line is on the disk. */
  sync(): void;
  /** Bytes. */
  size(): number;
  close(): void;
}

/**
 * Opens a log for appending; the file and its folders are created, closed to other users. A torn last line (its writer
 * died, or the disk was full) is cut off: it was never acknowledged, and the next line must not be glued to it. A last
 * line that `isWhole` recognises is not torn but only lacks its newline, as after an edit by hand; it gets one.
 */
export function openAppendLog(path: string, isWhole: (line: string) => boolean = () => false): AppendLog {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIR });
  const fd = openToAppend(path);
  endLastLine(fd, isWhole);
  return {
    append: (line) => appendWhole(fd, Buffer.from(`${line}\n`)),
    sync: () => fsyncSync(fd),
    size: () => fstatSync(fd).size,
    close: () => closeSync(fd),
  };
}

/** The complete lines of a log; `torn` holds what follows the last newline, if anything. A missing file has no lines. */
export async function readLog(path: string): Promise<{ lines: string[]; torn: string | null }> {
  const lines = ((await readText(path)) ?? '').split('\n');
  const torn = lines.pop() ?? '';
  return { lines, torn: torn === '' ? null : torn };
}

/** A short write (full disk) is undone, so that the log stays a list of whole lines. */
function appendWhole(fd: number, bytes: Buffer): void {
  const before = fstatSync(fd).size;
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  } catch (error) {
    ftruncateSync(fd, before);
    throw error;
  }
}

function endLastLine(fd: number, isWhole: (line: string) => boolean): void {
  const size = fstatSync(fd).size;
  const whole = wholeLines(fd, size);
  if (whole === size) return;
  const last = Buffer.alloc(size - whole);
  readSync(fd, last, 0, last.length, whole);
  if (isWhole(last.toString('utf8'))) appendWhole(fd, Buffer.of(NEWLINE));
  else ftruncateSync(fd, whole);
}

/** Number of bytes up to and including the last newline, searched from the end: logs grow long, torn lines do not. */
function wholeLines(fd: number, size: number): number {
  const block = Buffer.alloc(4096);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - block.length);
    const read = readSync(fd, block, 0, end - start, start);
    const newline = block.lastIndexOf(NEWLINE, read - 1);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

/**
 * Appends one line to a file that several processes append to ({@link appendTextSync}); it is on the disk when this
 * returns. The file and its folders are created, closed to other users.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIR });
  appendTextSync(path, `${line}\n`, { fsync: true });
}

/** Longer lines are skipped, not held: no honest program writes them, and a file may be a single line. */
const MOST_LINE_BYTES = 32 * 1024 * 1024;

/** Where a scan is: at the start of a line, or in the middle of one that is too long to be read. */
export interface ScanPlace {
  /** Byte offset. */
  readonly at: number;
  readonly inLongLine: boolean;
}

interface LineScan {
  /**
   * Receives a whole line without its newline: `bytes` from `start` to `end`, valid for this call only; null when too
   * long. `next` is the byte offset of the line after it.
   */
  readonly onLine: (bytes: Buffer | null, start: number, end: number, next: number) => void;
  /** Called after every chunk: false ends the scan there. */
  readonly goOn: () => boolean;
  readonly chunkBytes: number;
}

/**
 * Reads the whole lines between a place and the byte `to`. Memory is bounded by the chunk and the longest line.
 * @returns where to continue: the start of a line whose end is not there yet
 */
export async function scanLines(file: FileHandle, place: ScanPlace, to: number, scan: LineScan): Promise<ScanPlace> {
  let { at, inLongLine } = place;
  let buffer: Buffer = Buffer.allocUnsafe(Math.max(1, Math.min(scan.chunkBytes, to - at)));
  /** Bytes in the buffer; `at` is the offset of its first byte. */
  let filled = 0;
  while (at + filled < to) {
    if (filled === buffer.length) buffer = grown(buffer, to - at);
    const wanted = Math.min(buffer.length - filled, to - at - filled);
    const { bytesRead } = await file.read(buffer, filled, wanted, at + filled);
    if (bytesRead === 0) break;
    let newline = buffer.indexOf(NEWLINE, filled);
    filled += bytesRead;
    let start = 0;
    for (; newline >= 0 && newline < filled; newline = buffer.indexOf(NEWLINE, start)) {
      scan.onLine(inLongLine ? null : buffer, start, newline, at + newline + 1);
      inLongLine = false;
      start = newline + 1;
    }
    if (inLongLine || filled - start >= MOST_LINE_BYTES) {
      inLongLine = true;
      start = filled;
    }
    buffer.copyWithin(0, start, filled);
    filled -= start;
    at += start;
    if (!scan.goOn()) break;
  }
  return { at, inLongLine };
}

/** The last bytes before an offset, at most `count`. */
export async function bytesBefore(file: FileHandle, at: number, count: number): Promise<Buffer> {
  const length = Math.min(count, at);
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, at - length);
  return bytes.subarray(0, bytesRead);
}

/** A buffer twice the size for a line that does not fit, but no larger than what is left to read. */
function grown(buffer: Buffer, left: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(2 * buffer.length, Math.max(left, buffer.length + 1)));
  buffer.copy(larger);
  return larger;
}
