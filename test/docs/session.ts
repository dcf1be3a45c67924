import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.ts';

/** A bash that commands are typed into, one after the other: folders, variables and jobs last. */
export interface Session {
  /** @returns the exit code and what was printed on both streams. @throws when it takes longer than three minutes */
  type(command: string): Promise<{ readonly code: number; readonly output: string }>;
  /** Ends the shell and what it left running. */
  close(): Promise<void>;
}

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder for what the session itself writes. */
  readonly scratch: string;
}

/** A whole run on a machine that is busy with other things. */
const PATIENCE_MS = 180_000;
/** What is left running has this long to clean up behind itself. */
const GRACE_MS = 5_000;

/** Starts bash in `place.cwd`. */
export function openSession(place: Place): Session {
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: place.cwd,
    env: place.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(shell, 'exit');
  let heard = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
  }
  shell.stdin.on('error', () => undefined);
  shell.stdin.write('exec 2>&1\n');
  let count = 0;
  let hangs: string | null = null;
  return {
    async type(command) {
      if (hangs !== null) throw new Error(`the shell still waits for \`${hangs}\``);
      count += 1;
      const file = join(place.scratch, `typed-${count}.sh`);
      await writeFile(file, `${command}\n`);
      const mark = new RegExp(`\\u0001typed-${count}:(\\d+)\\u0001\\n`);
      heard = '';
      // From a file, so that a command which reads its standard input does not swallow the next line.
      shell.stdin.write(`. '${file}' < /dev/null; printf '\\001typed-${count}:%d\\001\\n' $?\n`);
      await until(async () => mark.test(heard) || shell.exitCode !== null, PATIENCE_MS).catch(() => {
        hangs = command;
        throw new Error(`\`${command}\` does not end. It printed:\n${heard}`);
      });
      const [whole = '', code] = mark.exec(heard) ?? [];
      if (code === undefined) throw new Error(`\`${command}\` ended the shell. It printed:\n${heard}`);
      return { code: Number(code), output: heard.replace(whole, '') };
    },
    async close() {
      signalGroup(shell, 'SIGTERM');
      shell.stdin.end();
      const late = setTimeout(() => signalGroup(shell, 'SIGKILL'), GRACE_MS);
      await ended;
      clearTimeout(late);
      signalGroup(shell, 'SIGKILL');
    },
  };
}

/**
 * Starts a command that does not end by itself, on a terminal of its own, and presses Ctrl-C once `isDone` holds.
 * @param isDone given what was printed so far
 * @returns everything it printed. @throws when it ends before, or does not end after Ctrl-C
 */
export async function watchStaying(
  command: string,
  place: Place,
  isDone: (printed: string) => boolean,
): Promise<string> {
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: place.cwd,
    env: place.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text.replaceAll('\r', '');
  });
  try {
    await until(async () => isDone(printed) || child.exitCode !== null, PATIENCE_MS);
    if (child.exitCode !== null) throw new Error(`\`${command}\` ended by itself. It printed:\n${printed}`);
    child.stdin.write('\u0003');
    await until(async () => child.exitCode !== null, PATIENCE_MS);
    return printed;
  } finally {
    signalGroup(child, 'SIGKILL');
    await ended;
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // Nobody of the group is left.
  }
}
