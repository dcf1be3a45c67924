import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { type Lineage, lineageIn } from './lineage.ts';

/** The variable that marks everything an agent or check starts. */
export const MARKER_VARIABLE = 'RALPH_RUN_ID';

/** One running process. Zombies are excluded: no code of theirs runs. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Session id; the group id where the system reports only that (macOS). */
  readonly session: number;
  /** Start time, in the system's own format: together with the pid it identifies a process permanently. */
  readonly start: string;
  /** Value of RALPH_RUN_ID it was started with; null when it has none or may not be read (macOS: never readable). */
  readonly marker: string | null;
  /** The inherited number that it cannot drop; null when it has none (macOS: always). */
  readonly lineage: Lineage | null;
}

/**
 * Every running process: from /proc in one go, without starting a program (slim images have no `ps`); elsewhere from
 * `ps`. Not from pidtree, which knows neither groups nor start times.
 */
export async function readProcessTable(): Promise<readonly ProcessEntry[]> {
  return process.platform === 'linux' ? readProc() : readPs();
}

function readProc(): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0);
    if (first < 0x30 || first > 0x39) continue;
    const entry = readProcEntry(name);
    if (entry) entries.push(entry);
  }
  return entries;
}

function readProcEntry(pid: string): ProcessEntry | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name of the program, in parentheses, may itself hold spaces and parentheses (proc(5)).
  const [state, parent, , session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  // Kernel threads (2 and its children), often half of all processes, have neither of these.
  const isKernel = pid === '2' || parent === '2';
  const environ = isKernel ? '' : (readOrNull(`/proc/${pid}/environ`) ?? '');
  const limits = isKernel ? '' : (readOrNull(`/proc/${pid}/limits`) ?? '');
  // `rest` begins with field 7 of stat(5); the start time is field 22.
  return {
    pid: Number(pid),
    parent: Number(parent),
    session: Number(session),
    start: rest[15] ?? '',
    marker: markerIn(environ),
    lineage: lineageIn(limits),
  };
}

function markerIn(environ: string): string | null {
  const prefix = `${MARKER_VARIABLE}=`;
  const entry = environ.split('\0').find((text) => text.startsWith(prefix));
  return entry?.slice(prefix.length) ?? null;
}

/** Processes may end during the check, and those of other users cannot be read. */
function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The table read from `ps`; the columns used here are the same on macOS, BSD and Linux. Exported for its test. */
export function readPs(): Promise<readonly ProcessEntry[]> {
  const columns = ['pid', 'ppid', 'pgid', 'stat', 'lstart'].flatMap((name) => ['-o', `${name}=`]);
  return new Promise((resolve) => {
    execFile(
      'ps',
      ['-A', ...columns],
      { env: { ...process.env, LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout) => {
        resolve(stdout.split('\n').flatMap(parsePsLine));
      },
    );
  });
}

function parsePsLine(line: string): readonly ProcessEntry[] {
  const [pid, parent, group, state, ...start] = line.trim().split(/\s+/);
  if (!pid || !state || state.startsWith('Z')) return [];
  const known = { pid: Number(pid), parent: Number(parent), session: Number(group), start: start.join(' ') };
  return [{ ...known, marker: null, lineage: null }];
}

/** Processes that belong together: the session and descendants of `root`, and all that carry `marker` or `lineage`. */
export interface Family {
  /** A live process (the pid of an ended process may belong to an unrelated one). */
  readonly root?: number;
  /** Markers below it (`<marker>/…`) belong to it too. */
  readonly marker?: string;
  readonly lineage?: Lineage | null;
}

/**
 * The members of a family in a process table: the root, its session, those with the marker or the lineage, and all
 * descendants of these. Never `self`, nor its other descendants. Pure.
 */
export function membersOf(family: Family, table: readonly ProcessEntry[], self: number): readonly ProcessEntry[] {
  const children = groupByParent(table);
  const members = new Map<number, ProcessEntry>();
  const pending = table.filter((p) => isFounder(family, p));
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.pid === self || members.has(next.pid)) continue;
    members.set(next.pid, next);
    pending.push(...(children.get(next.pid) ?? []));
  }
  return [...members.values()];
}

function isFounder({ root, marker, lineage = null }: Family, p: ProcessEntry): boolean {
  if (root !== undefined && (p.pid === root || p.session === root)) return true;
  if (lineage !== null && p.lineage === lineage) return true;
  if (marker === undefined || p.marker === null) return false;
  return p.marker === marker || p.marker.startsWith(`${marker}/`);
}

function groupByParent(table: readonly ProcessEntry[]): Map<number, ProcessEntry[]> {
  const children = new Map<number, ProcessEntry[]>();
  for (const p of table) {
    const siblings = children.get(p.parent);
    if (siblings) siblings.push(p);
    else children.set(p.parent, [p]);
  }
  return children;
}
