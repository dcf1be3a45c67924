import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { refuseMissing } from './find-program.ts';
import { startChild } from './start-child.ts';

/**
 * A number that a process and all its descendants carry, whatever they do with environment, session and parent: their
 * limit of file locks (`RLIMIT_LOCKS`), which Linux passes on and shows but has not enforced since 2.4 (getrlimit(2)).
 * No right is needed to lower it, and no program is known that does so by itself.
 */
export type Lineage = string;

/** Limits run to 2^64; numbers here stay exact in JavaScript. */
const HIGHEST = Number.MAX_SAFE_INTEGER;
/** How far below an outer loop's number ours may be: a limit can be lowered only. Wide enough that no two are alike. */
const STEP = 2 ** 44;

const LIMIT = /^Max file locks +(\d+) /m;

/** A number of its own; null where the system has none (macOS, or no `/proc`). */
export function newLineage(): Lineage | null {
  const own = ownLimits();
  if (own === null) return null;
  const highest = Number(lineageIn(own) ?? HIGHEST);
  // Nothing to guess here, so no node:crypto, which takes long to load.
  return highest > STEP ? String(highest - Math.ceil(Math.random() * STEP)) : null;
}

/** The number in the text of a `/proc/<pid>/limits`; null when the process has none. */
export function lineageIn(limits: string): Lineage | null {
  return LIMIT.exec(limits)?.[1] ?? null;
}

/** dash and bash name the limit differently; a shell that knows neither name starts the program without a number. */
const GIVE = 'ulimit -w "$0" 2>/dev/null || ulimit -x "$0" 2>/dev/null; exec "$@"';

/** {@link startChild}, with `lineage` from its first moment on. */
export async function startInLineage<T extends ChildProcess>(
  lineage: Lineage | null,
  file: string,
  args: readonly string[],
  options: SpawnOptions & { cwd: string },
): Promise<T & { pid: number }> {
  if (lineage === null) return startChild<T>(file, args, options);
  // The shell would start all the same, and its words about a missing program would pass for those of the program.
  refuseMissing(file, options);
  return startChild<T>('/bin/sh', ['-c', GIVE, lineage, file, ...args], options);
}

/**
 * Whether this process was started by another one in a lineage of its own, as agents and checks are by a loop: it then
 * carries a number that the other does not have. False where nobody can tell.
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
