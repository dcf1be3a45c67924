import type { Io } from '../../surfaces/terminal/io.ts';

/** Lines for people. */
export function printLines(io: Io, lines: readonly string[]): void {
  io.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** One JSON document for programs. */
export function printJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
