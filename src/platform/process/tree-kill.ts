import { systemClock } from '../clock.ts';
import { type Family, membersOf, type ProcessEntry, readProcessTable } from './process-table.ts';

/** How long SIGKILL may take to work (a process in an uninterruptible system call) before this gives up. */
const KILL_PATIENCE_MS = 3000;

interface KillOptions {
  /** Milliseconds between SIGTERM and SIGKILL; 0 kills at once. */
  readonly graceMs: number;
}

/** Ends a process and all processes below it or in its session. Resolves when none is left. Never rejects. */
export async function killTree(pid: number, options: KillOptions): Promise<void> {
  await killFamily({ root: pid }, options);
}

/**
 * Ends every process started with RALPH_RUN_ID=`marker` and its descendants, never this process; returns how many there
 * were. Without /proc none can be found: 0. A process that dropped its environment, session and parent is found only by
 * its lineage, which {@link killFamily} takes.
 */
export async function killMarked(marker: string, options: KillOptions): Promise<number> {
  return killFamily({ marker }, options);
}

/**
 * Ends a family of processes: SIGTERM to each, SIGKILL to those left after the grace, looking again and again for
 * members born meanwhile. `before` is an earlier look at the family: members that a table no longer connects with it
 * are still ended, and if it was empty it counts as the first of the two empty looks required. Returns how many were
 * found.
 */
export async function killFamily(
  family: Family,
  { graceMs }: KillOptions,
  before: readonly ProcessEntry[] | null = null,
): Promise<number> {
  const seen = new Map(before?.map((p) => [p.pid, p]));
  const look = async () => {
    const table = await readProcessTable();
    const alive = new Map(table.filter((p) => isSame(seen.get(p.pid), p)).map((p) => [p.pid, p]));
    for (const p of membersOf(family, table, process.pid)) alive.set(p.pid, p);
    return alive;
  };
  const started = performance.now();
  const warned = new Set<number>();
  let empty = before?.length === 0 ? 1 : 0;
  for (let pause = 5; performance.now() - started < graceMs + KILL_PATIENCE_MS; pause = Math.min(pause * 2, 80)) {
    const alive = await look();
    for (const p of alive.values()) seen.set(p.pid, p);
    // Two empty looks: a child born while the table was read may have been missed the first time.
    empty = alive.size === 0 ? empty + 1 : 0;
    if (empty === 2) break;
    if (alive.size === 0) continue;
    if (performance.now() - started >= graceMs) signalAll('SIGKILL', alive, family);
    else signalAll('SIGTERM', new Map([...alive].filter(([pid]) => !warned.has(pid))), family);
    for (const pid of alive.keys()) warned.add(pid);
    await systemClock.sleep(pause);
  }
  return seen.size;
}

function isSame(before: ProcessEntry | undefined, now: ProcessEntry): boolean {
  return before !== undefined && before.start === now.start;
}

/** Signals the group as well as each member: one may have forked since the table was read. */
function signalAll(signal: 'SIGTERM' | 'SIGKILL', members: ReadonlyMap<number, ProcessEntry>, { root }: Family): void {
  if (root !== undefined && members.has(root)) send(-root, signal);
  for (const pid of members.keys()) send(pid, signal);
}

/** The process is gone, or may not be signalled: the next look shows it. */
function send(target: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(target, signal);
  } catch {
    return;
  }
}
