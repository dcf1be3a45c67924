import { createInterface } from 'node:readline/promises';
import type { Io } from '../../surfaces/terminal/index.ts';

/** Asks a person; without a terminal the answer is no. */
export async function confirm(question: string, io: Io): Promise<boolean> {
  if (!io.isTTY || process.stdin.isTTY !== true) return false;
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `)).trim());
  } finally {
    reader.close();
  }
}
