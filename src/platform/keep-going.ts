import { readdirSync, readFileSync } from 'node:fs';

/** Often enough that a person waits, and seldom enough that looking costs nothing. */
const LOOK_EVERY_MS = 2000;

/**
 * Wakes processes that were stopped, by SIGSTOP or by a debugger that left, and whose command line has this word: what
 * runs in a sandbox may stop those that would notice its end, and then that is never noticed. Linux only; elsewhere, and
 * where the processes cannot be seen, nothing happens. It keeps no program alive.
 * @returns what ends it
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

/** The state comes after the name of the program, in parentheses, which may hold spaces and parentheses (proc(5)). */
function isStopped(pid: string): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat[stat.lastIndexOf(')') + 2] === 'T';
}

/** Processes end while we look. */
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
    // Gone, or somebody else's.
  }
}
