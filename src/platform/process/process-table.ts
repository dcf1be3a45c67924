import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { type Lineage, lineageIn } from './lineage.ts';

/** The variable that marks everything an agent or check starts. */
export const MARKER_VARIABLE = 'RALPH_RUN_ID';

/** One running process. Zombies are none: nothing of them runs. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Session id; its group's id where only that is told (macOS). */
  readonly session: number;
  /** Start time, in whatever form the system has: with the pid it names a process for good. */
  readonly start: string;
  /** Value of RALPH_RUN_ID it was started with; null when it has none or we may not look (macOS: never). */
  readonly marker: string | null;
  /** What it inherited and cannot lose; null when it has none (macOS: never). */
  readonly lineage: Lineage | null;
}

/**
 * Every running process: from /proc, at one go and without starting anything (slim images have no `ps`), elsewhere
 * from `ps`. Not from pidtree, which knows neither groups nor start times.
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
  // The name of the program, in parentheses, may hold spaces and parentheses itself (proc(5)).
  const [state, parent, , session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  // Kernel threads (2 and its children), often half of all, have neither of these.
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

/** Processes end while we look, and those of other users are closed to us. */
function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The table by way of `ps`, whose columns used here are the same on macOS, BSD and Linux. Exported for its test. */
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
