import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from './project.ts';

/** A dashboard that really serves. */
export interface ServedDashboard {
  /** What it prints for the person: with the token. */
  readonly address: string;
  readonly port: number;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

/** Starts `ralph dashboard` in a project; the caller kills it. */
export async function serveDashboard(
  project: Project,
  port = 0,
  more: readonly string[] = [],
): Promise<ServedDashboard> {
  const { child, ended } = project.start(['dashboard', '--port', String(port), ...more]);
  let printed = '';
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      printed += String(chunk);
      const found = /http:\/\/\S+token=[\w-]+/.exec(printed)?.[0];
      if (found !== undefined) resolve(found);
    });
    void ended.then(({ stderr }) => reject(new Error(`the dashboard ended: ${printed}${stderr}`)), reject);
  });
  return {
    address,
    port: Number(new URL(address).port),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** How many iterations the log of the project's last run tells of. */
export async function iterationsInLog(project: Project): Promise<number> {
  const runs = join(project.root, '.ralph/runs');
  const run = (await readdir(runs)).sort().at(-1) ?? '';
  const lines = (await readFile(join(runs, run, 'events.jsonl'), 'utf8')).trim().split('\n');
  return lines.filter((line) => line.includes('"type":"select"')).length;
}
