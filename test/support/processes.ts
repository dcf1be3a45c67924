import { readdir, readFile } from 'node:fs/promises';

/** Pids of the living processes whose environment carries RALPH_RUN_ID=`marker`, or a marker below it (Linux; elsewhere none are found). */
export async function markedProcesses(marker: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      const own = environment.split('\0').find((entry) => entry.startsWith('RALPH_RUN_ID='));
      return own && `${own}/`.startsWith(`RALPH_RUN_ID=${marker}/`) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** Those of `pids` that still run. A zombie, dead but not yet fetched by its parent, does not. */
export async function livingOf(pids: readonly number[]): Promise<readonly number[]> {
  const found = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
      // The state stands behind the command's name, which may itself hold parentheses.
      return stat === null || stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z') ? [] : [pid];
    }),
  );
  return found.flat();
}
