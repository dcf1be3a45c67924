import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { refuseMissing, startChild } from './start-child.ts';

/**
 * A number that a process and all its descendants carry, whatever they change in environment, session and parent: their
 * limit of file locks (`RLIMIT_LOCKS`), which Linux passes on and shows but has not enforced since 2.4 (getrlimit(2)).
 * No permission is needed to lower it, and no known program does so by itself.
 */
export type Lineage = string;

/** Limits go up to 2^64; numbers here stay exact in JavaScript. */
const HIGHEST = Number.MAX_SAFE_INTEGER;
/**
 * How far below an outer loop's number this one may be: a limit can only be lowered. Wide enough that no two are equal.
 */
const STEP = 2 ** 44;

const LIMIT = /^Max file locks +(\d+) /m;

/** A new, unique number; null where the system has none (macOS, or no `/proc`). */
export function newLineage(): Lineage | null {
  const own = ownLimits();
  if (own === null) return null;
  const highest = Number(lineageIn(own) ?? HIGHEST);
  // Not a secret, so it needs no node:crypto, which is slow to load.
  return highest > STEP ? String(highest - Math.ceil(Math.random() * STEP)) : null;
}

/** The number in the text of a `/proc/<pid>/limits`; null when the process has none. */
export function lineageIn(limits: string): Lineage | null {
  return LIMIT.exec(limits)?.[1] ?? null;
}

/**
 * dash and bash name the limit differently; a shell that supports neither option starts the program without a number.
 */
const GIVE = 'ulimit -w "$0" 2>/dev/null || ulimit -x "$0" 2>/dev/null; exec "$@"';

/** {@link startChild}, with `lineage` from the start. */
export async function startInLineage<T extends ChildProcess>(
  lineage: Lineage | null,
  file: string,
  args: readonly string[],
  options: SpawnOptions & { cwd: string },
): Promise<T & { pid: number }> {
  if (lineage === null) return startChild<T>(file, args, options);
  // The shell would start anyway, and its message about a missing program would look like output of the program.
  refuseMissing(file, options);
  return startChild<T>('/bin/sh', ['-c', GIVE, lineage, file, ...args], options);
}

/**
 * Whether another process started this one in a separate lineage, as a loop starts agents and checks: this one then
 * carries a number that the other does not have. False where that cannot be determined.
 */
export function descendsFrom(pid: number): boolean {
  const own = lineageIn(ownLimits() ?? '');
  const other = limitsOf(String(pid));
  return own !== null && other !== null && lineageIn(other) !== own;
}

function ownLimits(): string | null {
  return limitsOf('self');
}

function limitsOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/limits`, 'utf8');
  } catch {
    return null;
  }
}
