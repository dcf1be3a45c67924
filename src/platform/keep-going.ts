import { readdirSync, readFileSync } from 'node:fs';

/** Short enough for a person to wait, and long enough that checking costs nothing. */
const LOOK_EVERY_MS = 2000;

/**
 * Wakes processes that were stopped, by SIGSTOP or by a debugger that left, and whose command line has this word: a
 * program in a sandbox may stop the processes that would notice its end, which would then never be noticed. Linux only;
 * elsewhere, and where the processes cannot be seen, nothing happens. Keeps no program alive.
 * @returns a function that ends it
 */
export function keepGoing(word: string): () => void {
  if (process.platform !== 'linux') return () => {};
  const timer = setInterval(() => wakeStopped(word), LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

function wakeStopped(word: string): void {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || !isStopped(name)) continue;
    if (read(`/proc/${name}/cmdline`).split('\0').includes(word)) wake(Number(name));
  }
}

/** The state follows the name of the program, in parentheses, which may hold spaces and parentheses (proc(5)). */
function isStopped(pid: string): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat[stat.lastIndexOf(')') + 2] === 'T';
}

/** Processes may end during the check. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function wake(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // The process is gone, or belongs to another user.
  }
}
