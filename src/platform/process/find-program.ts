import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SpawnFailed } from './spawn-failed.ts';

/** Where programs are looked for without a PATH (execvp(3)). */
const DEFAULT_PATH = '/bin:/usr/bin';

/** Absolute path of the program that a shell with this PATH would start; null when there is none. */
export function findProgram(file: string, path: string | undefined): string | null {
  const places = file.includes('/') ? [''] : (path || DEFAULT_PATH).split(':');
  return places.map((place) => resolve('/', place, file)).find(isProgram) ?? null;
}

/** A file of that name that may not be executed, where a program would be looked for; null when there is none. */
export function findUnexecutable(file: string, path: string | undefined): string | null {
  const places = file.includes('/') ? [''] : (path || DEFAULT_PATH).split(':');
  const found = places
    .map((place) => resolve('/', place, file))
    .filter((one) => existsSync(one) && statSync(one).isFile());
  return found.find((one) => !isProgram(one)) ?? null;
}

/** Is there anything at this path? Without waiting: for use where a program is looked for. */
export function isThere(path: string): boolean {
  return existsSync(path);
}

/** Throws {@link SpawnFailed} for a program that the system would not start: not there, not executable, no folder. */
export function refuseMissing(
  file: string,
  { cwd, env = process.env }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv | undefined },
): void {
  const places = file.includes('/') ? [''] : (env['PATH'] ?? DEFAULT_PATH).split(':');
  const paths = places.map((place) => resolve(cwd, place, file));
  if (existsSync(cwd) && paths.some(isProgram)) return;
  throw new SpawnFailed(file, cwd, { code: paths.some((path) => existsSync(path)) ? 'EACCES' : 'ENOENT' });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
