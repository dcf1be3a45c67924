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
