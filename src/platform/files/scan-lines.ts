import type { FileHandle } from 'node:fs/promises';

const NEWLINE = 0x0a;

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
 * @returns where to go on: the start of a line whose end is not there yet
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
