import { readdir, readFile, readlink } from 'node:fs/promises';
import { livingOf } from '../processes.ts';

export interface ProcessOf {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Carries the marker of a run. */
  readonly marked: boolean;
}

/** Living processes that belong to a folder: by their environment, or because they work in it (Linux only). */
export async function processesOf(folder: string): Promise<readonly ProcessOf[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (name): Promise<readonly ProcessOf[]> => {
      const [environment, cwd] = await Promise.all([
        readFile(`/proc/${name}/environ`, 'utf8').catch(() => ''),
        readlink(`/proc/${name}/cwd`).catch(() => ''),
      ]);
      if (!environment.includes(folder) && !`${cwd}/`.startsWith(`${folder}/`)) return [];
      const [command, stat] = await Promise.all([
        readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => ''),
        readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''),
      ]);
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === undefined || state === 'Z' || state === '') return [];
      return [
        {
          pid: Number(name),
          parent: Number(parent),
          command: command.replaceAll('\0', ' ').trim(),
          marked: environment.includes('RALPH_RUN_ID='),
        },
      ];
    }),
  );
  return found.flat();
}

/** What still runs of a case, whether it can be told by its folder or only by the pid that it wrote down. */
export async function survivors(folder: string, pidFile: string): Promise<readonly string[]> {
  const written = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);
  const [found, told] = await Promise.all([processesOf(folder), livingOf(written)]);
  return [
    ...found.map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`),
    ...told.filter((pid) => !found.some((each) => each.pid === pid)).map((pid) => `${pid} (by its own word)`),
  ];
}

/** Largest resident memory that a process had until now, in KiB; 0 when it is gone. */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
}
