import { writeSync } from 'node:fs';

const STDOUT = 1;

/**
 * All of standard input as text. By `process.stdin`, although it loads slower than a plain read of the descriptor:
 * that one could not be broken off, and a process with such a read under way cannot even end.
 * @returns null when it exceeds `maxBytes`, does not end within `patienceMs`, or cannot be read
 */
export function readStandardInput(maxBytes: number, patienceMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const { stdin } = process;
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => end(null), patienceMs);
    function end(text: string | null): void {
      clearTimeout(timer);
      // An input that goes on must not keep the process alive.
      stdin.destroy();
      resolve(text);
    }
    stdin.on('error', () => end(null));
    stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) end(null);
    });
    stdin.on('end', () => end(Buffer.concat(chunks).toString('utf8')));
  });
}

/**
 * Writes all of a text to standard output, whatever takes it in pieces. Without `process.stdout`, which takes
 * milliseconds to load.
 * @throws when nobody reads it
 */
export function writeStandardOutput(text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(STDOUT, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
