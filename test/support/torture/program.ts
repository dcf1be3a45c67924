import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RALPH } from '../project.ts';
import { peakMemory } from './processes.ts';

const CLOCK = fileURLToPath(new URL('clock-offset.mjs', import.meta.url));

/** One call of the built program and how it ended. */
export interface Call {
  readonly args: readonly string[];
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It did not end in time and was killed. */
  readonly late: boolean;
  /** KiB. */
  readonly peakMemory: number;
  readonly ms: number;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Call>;
}

const MEMORY_EVERY_MS = 250;

/** Starts the built program; it is killed after `limitMs`. */
export function startProgram(
  args: readonly string[],
  place: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly limitMs: number;
    readonly clock: boolean;
  },
): Started {
  const started = Date.now();
  const child = spawn(process.execPath, [...(place.clock ? ['--import', CLOCK] : []), RALPH, ...args], {
    cwd: place.cwd,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let late = false;
  let peak = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (stdout.length < 2_000_000) stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < 2_000_000) stderr += text;
  });
  const limit = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, place.limitMs);
  const look = setInterval(async () => {
    if (child.pid) peak = Math.max(peak, await peakMemory(child.pid));
  }, MEMORY_EVERY_MS);
  const ended = new Promise<Call>((resolve, reject) => {
    child.once('error', reject);
    // 'exit', not 'close': an orphan that holds the pipes must not look like a program that does not end.
    child.once('exit', async (code, signal) => {
      clearTimeout(limit);
      clearInterval(look);
      await new Promise((later) => setTimeout(later, 20));
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ args, code, signal, stdout, stderr, late, peakMemory: peak, ms: Date.now() - started });
    });
  });
  return { child, ended };
}
