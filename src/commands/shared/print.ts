import { resolve } from 'node:path';
import { messageOf, UsageError } from '../../contracts/index.ts';
import { descriptorAt, writeOutput } from '../../platform/index.ts';
import { hang, type Io } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from './flags.ts';

/** What a command found or did: for programs with `--json`, else for people. @returns the exit code 0 */
export function printResult(io: Io, flags: RawFlags, data: unknown, lines: readonly string[]): number {
  if (isOn(flags, 'json')) printJson(io, data);
  else printLines(io, lines);
  return 0;
}

/** On a terminal broken between words, beside their labels. */
export function printLines(io: Io, lines: readonly string[]): void {
  const shown = io.isTTY ? lines.flatMap((line) => line.split('\n').flatMap((one) => hang(one, io.columns))) : lines;
  io.stdout.write(shown.map((line) => `${line}\n`).join(''));
}

export function printJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Of a table: unlimited where a program or a file takes it. */
export function widthOf(io: Io): number {
  return io.isTTY ? io.columns : Number.POSITIVE_INFINITY;
}

/**
 * Writes what a command made into a file; `-` is standard output.
 * @throws UsageError where the file cannot be written
 */
export async function writeResult(file: string, text: string, what: string, io: Io): Promise<void> {
  const path = resolve(io.cwd, file);
  const descriptor = descriptorAt(path);
  // A file name printed after the report would become part of it.
  if (file === '-' || descriptor === 1) return void io.stdout.write(text);
  if (descriptor === 2) return void io.stderr.write(text);
  try {
    await writeOutput(path, text);
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError({ what: `${what} cannot be written`, where: path, why, fix: ['-o names another file'] });
  }
  printLines(io, [file]);
}
