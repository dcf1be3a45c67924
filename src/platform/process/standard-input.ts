import { writeSync } from 'node:fs';

const STDOUT = 1;

/**
 * All of standard input as text. Uses `process.stdin`, although it loads slower than a plain read of the descriptor: a
 * plain read cannot be cancelled, and a process with one under way cannot even end.
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
      // An input that never ends must not keep the process alive.
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
 * Writes a whole text to standard output, even where it accepts only parts at a time. Without `process.stdout`, which
 * takes milliseconds to load.
 * @throws when the reader is gone
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
