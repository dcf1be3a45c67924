import type { Io } from './io.ts';

export interface MemoryIo extends Io {
  /** All that was printed so far. */
  readonly out: () => string;
  readonly err: () => string;
}

/** An `Io` that keeps what is printed. */
export function memoryIo(parts: Partial<Pick<Io, 'cwd' | 'env' | 'isTTY' | 'columns'>> = {}): MemoryIo {
  const out: string[] = [];
  const err: string[] = [];
  return {
    cwd: '/',
    env: {},
    isTTY: false,
    columns: 80,
    ...parts,
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    out: () => out.join(''),
    err: () => err.join(''),
  };
}
