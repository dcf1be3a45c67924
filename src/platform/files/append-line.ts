import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { noPlainFile } from './no-plain-file.ts';
import { PRIVATE_DIR, PRIVATE_FILE } from './private.ts';

const NEWLINE = 0x0a;

/**
 * Appends one line to a file that several processes append to; on the disk when this returns. The file and its folders
 * are made, closed to other users. Nothing is ever cut off, as `openAppendLog` does for its one writer: what looks torn may be a line that
 * somebody is writing right now. Instead a line begins with a line break of its own where the file does not end with
 * one, so that a line that stayed torn spoils no other. Readers skip empty lines.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true, mode: PRIVATE_DIR });
  const file = await fs.open(path, 'a+', PRIVATE_FILE);
  try {
    if (!(await file.stat()).isFile()) throw noPlainFile(path);
    await file.chmod(PRIVATE_FILE);
    const bytes = Buffer.from(`${(await endsWhole(file)) ? '' : '\n'}${line}\n`);
    // One write: the kernel keeps those of O_APPEND apart from one another.
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
