import { readText } from '../../../platform/files/files.ts';
import type { EngineName } from './engine.ts';

/** Rows of /proc/self/limits: their names as `--ulimit` takes them, and the most that is asked for. */
const LIMITS: Readonly<Record<string, { readonly name: string; readonly most: number }>> = {
  // Podman lowers its own to the highest process id there can be, which is this on small machines.
  'Max processes': { name: 'nproc', most: 32_768 },
  // Programs that close everything they might have open take long with millions.
  'Max open files': { name: 'nofile', most: 65_536 },
};

/**
 * Flags that give a container no more than what this process may use: the defaults of Podman are higher than some
 * machines allow, and then nothing starts. Docker's daemon has limits of its own, whatever ours are.
 */
export async function ulimitFlags(engine: EngineName): Promise<readonly string[]> {
  const table = engine === 'podman' ? ((await readText('/proc/self/limits')) ?? '') : '';
  return ['--ulimit', 'core=0:0', ...parseLimits(table).flatMap((limit) => ['--ulimit', limit])];
}

/** The hard limits of /proc/self/limits, as `--ulimit` takes them. */
export function parseLimits(table: string): readonly string[] {
  return table.split('\n').flatMap((line) => {
    const [, row = '', hard = ''] = /^(.+?)\s+(?:\d+|unlimited)\s+(\d+|unlimited)/.exec(line) ?? [];
    const limit = LIMITS[row];
    if (limit === undefined) return [];
    const value = hard === 'unlimited' ? limit.most : Math.min(Number(hard), limit.most);
    return [`${limit.name}=${value}:${value}`];
  });
}
