import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Appends one line to a file that several processes append to; on the disk when this returns. The file and its folders
 * are made. Nothing is ever cut off, as `openAppendLog` does for its one writer: what looks torn may be a line that
 * somebody is writing right now. Instead every line begins with a line break of its own, so that one that stayed torn
 * spoils no other. Readers skip empty lines.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true });
  const file = await fs.open(path, 'a');
  try {
    const bytes = Buffer.from(`\n${line}\n`);
    // One write: the kernel keeps those of O_APPEND apart from one another.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`only a part of the line could be written to ${path}`);
    await file.sync();
  } finally {
    await file.close();
  }
}
