import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Note, parseNotes } from './agent.ts';

const SAY_EVERY_MS = 10_000;

interface LoopOf {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where the agent notes its iterations. */
  readonly folder: string;
  /** Of the run. */
  readonly iterations: number;
}

/** Runs a loop to its end, and says from time to time how far it is. @returns what its agent noted */
export async function notesOfLoop({ file, args, cwd, env, folder, iterations }: LoopOf): Promise<readonly Note[]> {
  const path = join(folder, 'notes');
  const notes = () => (existsSync(path) ? parseNotes(readFileSync(path, 'utf8')) : []);
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const started = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    console.error(`${notes().length} of ${iterations} iterations after ${seconds} s`);
  }, SAY_EVERY_MS);
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  clearInterval(timer);
  if (status !== 0) throw new Error(`the run ended with ${status}: ${errors}${output.slice(-2000)}`);
  return notes();
}
