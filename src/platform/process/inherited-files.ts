import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Number of the last standard stream. */
const LAST_STREAM = 2;

/** O_CLOEXEC, as Linux shows it. */
const CLOSED_AT_EXEC = 0o2000000;

/**
 * Closes the files that this process has open from whoever started it and would hand on to what it starts, beside the
 * standard streams: by a folder of the host among them a program inside would reach all of it. Node takes care of the
 * first few only (`uv_disable_stdio_inheritance`). What it has opened itself is closed at exec, and stays. Linux only;
 * elsewhere nothing is done.
 */
export function closeInheritedFiles(): void {
  for (const file of inheritedFiles()) closeSync(file);
}

function inheritedFiles(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number).filter(isInherited);
  } catch {
    return [];
  }
}

function isInherited(file: number): boolean {
  if (file <= LAST_STREAM) return false;
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_AT_EXEC) === 0;
  } catch {
    // That of the reading itself, which is over.
    return false;
  }
}
