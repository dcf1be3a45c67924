import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { readText } from './files.ts';
import { noPlainFile } from './no-plain-file.ts';
import { PRIVATE_DIR, PRIVATE_FILE } from './private.ts';

const NEWLINE = 0x0a;

/** An open log of lines, only ever appended to. */
export interface AppendLog {
  /** Writes one line (which must hold no newline) in a single write; it survives our own death from here on. */
  append(line: string): void;
  /** Returns once everything appended is on the disk. */
  sync(): void;
  /** Bytes. */
  size(): number;
  close(): void;
}

/**
 * Opens a log for appending; the file and its folders are made, closed to other users. A torn last line (its writer died, or the disk was
 * full) is cut off: it was never acknowledged, and the next line must not be glued to it. What `isWhole` recognises is
 * not torn but lacks its newline, as after an edit by hand, and gets it.
 */
export function openAppendLog(path: string, isWhole: (line: string) => boolean = () => false): AppendLog {
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIR });
  // 'a+' rather than 'a': finding a torn line needs reading.
  const fd = openSync(path, 'a+', PRIVATE_FILE);
  if (!fstatSync(fd).isFile()) {
    closeSync(fd);
    throw noPlainFile(path);
  }
  fchmodSync(fd, PRIVATE_FILE);
  endLastLine(fd, isWhole);
  return {
    append: (line) => appendWhole(fd, Buffer.from(`${line}\n`)),
    sync: () => fsyncSync(fd),
    size: () => fstatSync(fd).size,
    close: () => closeSync(fd),
  };
}

/**
 * The complete lines of a log, and in `torn` what follows the last newline, if anything. A missing file has no lines.
 */
export async function readLog(path: string): Promise<{ lines: string[]; torn: string | null }> {
  const lines = ((await readText(path)) ?? '').split('\n');
  const torn = lines.pop() ?? '';
  return { lines, torn: torn === '' ? null : torn };
}

/** A short write (full disk) is taken back, so that the log stays a list of whole lines. */
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

/** Bytes up to and with the last newline, found from the end: logs grow long, torn lines do not. */
function wholeLines(fd: number, size: number): number {
  const block = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - block.length);
    const read = readSync(fd, block, 0, end - start, start);
    const newline = block.lastIndexOf(NEWLINE, read - 1);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}
