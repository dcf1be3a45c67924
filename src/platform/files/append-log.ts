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
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { noPlainFile, PRIVATE_DIR, PRIVATE_FILE } from './atomic-file.ts';
import { readText } from './files.ts';

const NEWLINE = 0x0a;

/** An open log of lines, only ever appended to. */
export interface AppendLog {
  /**
   * Writes one line (which must hold no newline) in a single write; from then on it survives the death of this process.
   */
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
 * The complete lines of a log; `torn` holds what follows the last newline, if anything. A missing file has no lines.
 */
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

/**
 * Appends one line to a file that several processes append to; it is on the disk when this returns. The file and its
 * folders are created, closed to other users. Unlike `openAppendLog` with its one writer, this never cuts anything off:
 * what looks torn may be a line that another process is writing right now. Instead, the line starts with a line break
 * where the file does not end with one, so that a torn line spoils no other. Readers skip empty lines.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true, mode: PRIVATE_DIR });
  const file = await fs.open(path, 'a+', PRIVATE_FILE);
  try {
    if (!(await file.stat()).isFile()) throw noPlainFile(path);
    await file.chmod(PRIVATE_FILE);
    const bytes = Buffer.from(`${(await endsWhole(file)) ? '' : '\n'}${line}\n`);
    // One write: the kernel does not mix O_APPEND writes with one another.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`only a part of the line could be written to ${path}`);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function endsWhole(file: fs.FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === NEWLINE;
}
