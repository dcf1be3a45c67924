import { type ChildProcess, execFile, type SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { namesInSync } from '../files/sync.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { refuseMissing, startChild } from './start-child.ts';

/** A file of `/proc`; null when the process ended meanwhile, belongs to another user, or there is no `/proc`. */
function readProc(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return null;
  }
}

/** `num_threads` and `starttime` in the fields of stat(5) from the third on. */
const THREADS_AT = 17;
const START_AT = 19;

/**
 * Its status fields from the third (the state) to the start: the program's name before them may hold spaces and
 * parentheses.
 */
export function statusOf(pid: string): readonly string[] {
  const stat = readProc(`${pid}/stat`) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ', START_AT + 1);
}

/**
 * A number that a process and all its descendants carry, even if they change environment, session and parent: their
 * limit of file locks (`RLIMIT_LOCKS`), which Linux passes on and shows but has not enforced since 2.4 (getrlimit(2)).
 * No permission is needed to lower it, and no known program does so by itself.
 */
export type Lineage = string;

/** Limits go up to 2^64; numbers here stay exact in JavaScript. */
const HIGHEST = Number.MAX_SAFE_INTEGER;
/** How far below an outer loop's number this one may be (a limit can only be lowered): wide enough to be unique. */
const STEP = 2 ** 44;

/** A new, unique number; null where the system has none (macOS, or no `/proc`). */
export function newLineage(): Lineage | null {
  const own = readProc('self/limits');
  if (own === null) return null;
  const highest = Number(lineageIn(own) ?? HIGHEST);
  // Not a secret, so it needs no node:crypto, which is slow to load.
  return highest > STEP ? String(highest - Math.ceil(Math.random() * STEP)) : null;
}

/** The number in the text of a `/proc/<pid>/limits`; null when the process has none. */
function lineageIn(limits: string): Lineage | null {
  return /^Max file locks +(\d+) /m.exec(limits)?.[1] ?? null;
}

/** dash and bash name the limit differently; a shell without either option starts the program without a number. */
const giving = (lineage: Lineage) => `ulimit -w ${lineage} 2>/dev/null || ulimit -x ${lineage} 2>/dev/null; `;

/** {@link startChild}, with `lineage` from the start. A script for /bin/sh takes it on the way, in the same shell. */
export async function startInLineage<T extends ChildProcess>(
  lineage: Lineage | null,
  file: string,
  args: readonly string[],
  options: SpawnOptions & { cwd: string },
): Promise<T & { pid: number }> {
  if (lineage === null) return startChild<T>(file, args, options);
  // The shell would start anyway, and its message about a missing program would look like output of the program.
  refuseMissing(file, options);
  const isScript = file === '/bin/sh' && args[0] === '-c';
  const [script = '', ...rest] = isScript ? args.slice(1) : ['exec "$@"', 'sh', file, ...args];
  return startChild<T>('/bin/sh', ['-c', `${giving(lineage)}${script}`, ...rest], options);
}

/**
 * Whether another process started this one in a separate lineage, as a loop starts agents and checks: this one then
 * carries a number that the other does not have. False where that cannot be determined.
 */
export function descendsFrom(pid: number): boolean {
  const own = lineageIn(readProc('self/limits') ?? '');
  const other = readProc(`${pid}/limits`);
  return own !== null && other !== null && lineageIn(other) !== own;
}

/** The variable that marks everything an agent or check starts. */
export const MARKER_VARIABLE = 'RALPH_RUN_ID';

/** One running process. Zombies are excluded: they run no code, unless it was only their first thread that ended. */
interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Session id; the group id where the system reports only that (macOS). */
  readonly session: number;
  /** Start time, in the system's own format: together with the pid it identifies a process permanently. */
  readonly start: string;
  /** Value of RALPH_RUN_ID it was started with; null when it has none or may not be read (macOS: never readable). */
  readonly marker: string | null;
  /** null when it has none (macOS: always). */
  readonly lineage: Lineage | null;
}

/**
 * Every running process: from /proc in one go, without starting a program (slim images have no `ps`); elsewhere from
 * `ps`. Not from pidtree, which knows neither groups nor start times.
 * @param since marker and lineage of older processes are not read
 * @param older pids of such processes: left out where it has them already, else added
 */
export async function readProcessTable(since = 0, older: Set<string> = new Set()): Promise<readonly ProcessEntry[]> {
  if (process.platform !== 'linux') return readPs();
  return namesInSync('/proc').flatMap((name) =>
    /^\d/.test(name) && !older.has(name) ? readEntry(name, since, older) : [],
  );
}

/** When a process started, as {@link ProcessEntry} has it; 0 where that cannot be determined. */
export function startOf(pid: number): number {
  return Number(statusOf(String(pid))[START_AT]) || 0;
}

function readEntry(pid: string, since: number, older: Set<string>): readonly ProcessEntry[] {
  const status = statusOf(pid);
  const [state, parent, , session] = status;
  const start = status[START_AT] ?? '';
  if (parent === undefined || state === 'X' || (state === 'Z' && !(Number(status[THREADS_AT]) > 1))) return [];
  // Kernel threads (2 and its children), often half of all processes, have neither of these.
  const isOlder = Number(start) < since;
  if (isOlder) older.add(pid);
  const isLeft = pid === '2' || parent === '2' || isOlder;
  const environ = isLeft ? '' : (readProc(`${pid}/environ`) ?? '');
  const limits = isLeft ? '' : (readProc(`${pid}/limits`) ?? '');
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      session: Number(session),
      start,
      marker: markerIn(environ),
      lineage: lineageIn(limits),
    },
  ];
}

function markerIn(environ: string): string | null {
  const before = `\0${MARKER_VARIABLE}=`;
  const at = `\0${environ}`.indexOf(before);
  return at < 0 ? null : (environ.slice(at + before.length - 1).split('\0', 1)[0] ?? null);
}

/** The columns used here are the same on macOS, BSD and Linux. */
function readPs(): Promise<readonly ProcessEntry[]> {
  const columns = ['pid', 'ppid', 'pgid', 'stat', 'lstart'].flatMap((name) => ['-o', `${name}=`]);
  const options = { env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile('ps', ['-A', ...columns], options, (_error, stdout) => resolve(stdout.split('\n').flatMap(parsePsLine)));
  });
}

function parsePsLine(line: string): readonly ProcessEntry[] {
  const [pid, parent, group, state, ...start] = line.trim().split(/\s+/);
  if (!pid || !state || state.startsWith('Z')) return [];
  const known = { pid: Number(pid), parent: Number(parent), session: Number(group), start: start.join(' ') };
  return [{ ...known, marker: null, lineage: null }];
}

/** Processes that belong together: the session and descendants of `root`, and all that carry a marker or `lineage`. */
interface Family {
  /** A live process (the pid of an ended process may belong to an unrelated one). */
  readonly root?: number;
  /** This marker alone: an agent has its run's, and checks that run beside it, with markers below, outlive it. */
  readonly marker?: string;
  /** The marker of a run, with those below it (`<run>/…`). */
  readonly run?: string;
  readonly lineage?: Lineage | null;
  /** No process of it started earlier. */
  readonly since?: number;
}

/**
 * The members of a family in a process table: the root, its session, those with the marker or the lineage, and all
 * descendants of these. Never `self`, nor its other descendants. Pure.
 */
export function membersOf(family: Family, table: readonly ProcessEntry[], self: number): readonly ProcessEntry[] {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    const siblings = children.get(entry.parent);
    if (siblings) siblings.push(entry);
    else children.set(entry.parent, [entry]);
  }
  const members = new Map<number, ProcessEntry>();
  const pending = table.filter((entry) => isFounder(family, entry));
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.pid === self || members.has(next.pid)) continue;
    members.set(next.pid, next);
    pending.push(...(children.get(next.pid) ?? []));
  }
  return [...members.values()];
}

function isFounder({ root, marker, run, lineage = null }: Family, entry: ProcessEntry): boolean {
  if (root !== undefined && (entry.pid === root || entry.session === root)) return true;
  if (lineage !== null && entry.lineage === lineage) return true;
  if (entry.marker === null) return false;
  if (entry.marker === marker || entry.marker === run) return true;
  return run !== undefined && entry.marker.startsWith(`${run}/`);
}

/** A look at the members of a family among all processes. */
interface Look {
  readonly members: readonly ProcessEntry[];
  /** Pids of processes too old to be one, read since `at` (by `performance.now()`). */
  readonly older: Set<string>;
  readonly at: number;
}

/** So soon the next look need not read again what is too old: no pid is given to another process by then. */
const FRESH_MS = 100;

/** @param seen members that the table may no longer connect with the others, by pid */
export async function lookFor(
  family: Family,
  last: Look | null = null,
  seen: ReadonlyMap<number, ProcessEntry> = new Map(),
): Promise<Look> {
  const now = performance.now();
  const { older, at } = last !== null && now - last.at < FRESH_MS ? last : { older: new Set<string>(), at: now };
  const table = await readProcessTable(family.since, older);
  const known = table.filter(({ pid, start }) => seen.get(pid)?.start === start);
  const found = new Map([...known, ...membersOf(family, table, process.pid)].map((entry) => [entry.pid, entry]));
  return { members: [...found.values()], older, at };
}

/** How long SIGKILL may take to work (a process in an uninterruptible system call) before this gives up. */
const KILL_PATIENCE_MS = 3000;

/**
 * Ends a family of processes, never this one: SIGTERM to each, SIGKILL to those left after `graceMs` (0: at once),
 * looking again and again for members born meanwhile. A process that dropped its environment, session and parent is
 * found only by its lineage; without /proc none is found by its marker. Never rejects.
 * @param before an earlier look at the family: members that a table no longer connects with it are still ended, and an
 * empty one counts as the first of the two empty looks required
 * @returns how many were found
 */
export async function killFamily(family: Family, graceMs: number, before: Look | null = null): Promise<number> {
  const seen = new Map(before?.members.map((entry) => [entry.pid, entry]));
  let last = before;
  const started = performance.now();
  const warned = new Set<number>();
  let empty = before?.members.length === 0 ? 1 : 0;
  for (let pause = 5; performance.now() - started < graceMs + KILL_PATIENCE_MS; pause = Math.min(pause * 2, 80)) {
    last = await lookFor(family, last, seen);
    for (const entry of last.members) seen.set(entry.pid, entry);
    const alive = last.members.map(({ pid }) => pid);
    // Two empty looks: a child born while the table was read may have been missed the first time.
    empty = alive.length === 0 ? empty + 1 : 0;
    if (empty === 2) break;
    if (alive.length === 0) continue;
    if (performance.now() - started >= graceMs) signalAll('SIGKILL', alive, family);
    else
      signalAll(
        'SIGTERM',
        alive.filter((pid) => !warned.has(pid)),
        family,
      );
    for (const pid of alive) warned.add(pid);
    await systemClock.sleep(pause);
  }
  return seen.size;
}

/** Signals the group as well as each member: one may have forked since the table was read. */
function signalAll(signal: NodeJS.Signals, members: readonly number[], { root }: Family): void {
  if (root !== undefined && members.includes(root)) send(-root, signal);
  for (const pid of members) send(pid, signal);
}

/** @returns false: the process is gone by now, or belongs to another user */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** How long a family may take to stop. */
const STILL_MS = 3000;
/** A thread that waits for a disk, or for a child that is stopped, gets no further after this. */
const WAITING_MS = 200;
/** Number of families that are stopped now. */
let still = 0;
const inTurn = oneAtATime();

/**
 * Does `work` while no process of a family runs: a link cannot be put under it in the middle. Processes that this one
 * cannot see or signal continue (macOS, a container engine that runs as another user).
 * @throws Error when the others do not stop
 */
export function whileStopped<T>(family: Family, work: () => Promise<T>): Promise<T> {
  return inTurn(async () => {
    const stopped = new Set<number>();
    still += 1;
    try {
      await stopAll(family, stopped);
      return await work();
    } finally {
      still -= 1;
      for (const pid of stopped) send(pid, 'SIGCONT');
    }
  });
}

async function stopAll(family: Family, stopped: Set<number>): Promise<void> {
  if (process.platform !== 'linux') return;
  const started = performance.now();
  // Two looks without any: a child born while the table was read may have been missed the first time.
  for (let quiet = 0; quiet < 2; ) {
    const passed = performance.now() - started;
    if (passed > STILL_MS) throw new Error('the processes of the agent could not be stopped for a look at its files');
    const { members } = await lookFor(family);
    const going = members.filter(({ pid }) => isGoing(pid, passed < WAITING_MS) && send(pid, 'SIGSTOP'));
    for (const { pid } of going) stopped.add(pid);
    quiet = going.length === 0 ? quiet + 1 : 0;
    if (quiet === 0) await systemClock.sleep(1);
  }
}

/** Whether any of its threads runs, or will. */
function isGoing(pid: number, waiting: boolean): boolean {
  const going = waiting ? ['R', 'S', 'D'] : ['R', 'S'];
  return namesInSync(`/proc/${pid}/task`).some((thread) => going.includes(statusOf(`${pid}/task/${thread}`)[0] ?? ''));
}

/** Short enough for a person to wait, and long enough that checking costs nothing. */
const LOOK_EVERY_MS = 2000;

/** Of the processes that are woken. */
const words = new Set<string>();
let waking: NodeJS.Timeout | undefined;

/**
 * Wakes processes that were stopped, by SIGSTOP or by a debugger that left, and whose command line has this word: a
 * program in a sandbox may stop the processes that would notice its end, which would then never be noticed. Linux only;
 * elsewhere, and where the processes cannot be seen, nothing happens. Keeps no program alive.
 * @returns a function that ends it
 */
export function keepGoing(word: string): () => void {
  if (process.platform !== 'linux') return () => {};
  words.add(word);
  waking ??= setInterval(wakeStopped, LOOK_EVERY_MS).unref();
  return () => {
    words.delete(word);
    if (words.size > 0) return;
    clearInterval(waking);
    waking = undefined;
  };
}

function wakeStopped(): void {
  if (still > 0) return;
  for (const name of namesInSync('/proc')) {
    if (!/^\d+$/.test(name) || statusOf(name)[0] !== 'T') continue;
    if (
      readProc(`${name}/cmdline`)
        ?.split('\0')
        .some((word) => words.has(word))
    )
      send(Number(name), 'SIGCONT');
  }
}
