import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';

/** Takes a FIFO away; who waits for a writer in it has had one, who said nothing. Throws what the file system says. */
export async function removePipe(path: string): Promise<void> {
  // Without a reader there is nobody to free, and this fails.
  const writer = await fs.open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => null);
  await writer?.close();
  await fs.unlink(path);
}
