import { list, realPath, remove, tempFolder } from '../../../platform/files/files.ts';
import { agentTempPrefix } from '../agent-temp.ts';
import { RUNS_FOLDER, runFolder } from '../paths.ts';
import { listRuns } from './own-runs.ts';

/** What old runs left. The history stays: what was done is in the ledger and in git. */
export interface OldRuns {
  /** Runs whose events and logs go, oldest first. */
  readonly runs: readonly string[];
  /** Private folders of agents that a crash left, absolute. */
  readonly leftovers: readonly string[];
}

/**
 * Which runs go: all but the last `keep`, and never one that is at work or is to be gone on with.
 * @param runs oldest first
 */
export function oldOf(runs: readonly string[], keep: number, spared: ReadonlySet<string>): readonly string[] {
  return runs.slice(0, Math.max(0, runs.length - keep)).filter((run) => !spared.has(run));
}

/** What `dropOldRuns` would drop. A folder of runs that lies elsewhere, behind a link, holds nothing of this project. */
export async function findOldRuns(root: string, keep: number, spared: ReadonlySet<string>): Promise<OldRuns> {
  const [here, runsFolder] = await Promise.all([realPath(root), realPath(`${root}/${RUNS_FOLDER}`).catch(() => null)]);
  if (runsFolder !== `${here}/${RUNS_FOLDER}`) return { runs: [], leftovers: [] };
  const runs = await listRuns(root);
  const temp = await tempFolder();
  const dead = runs.filter((run) => !spared.has(run)).map(agentTempPrefix);
  const left = (await list(temp)).filter((name) => dead.some((prefix) => name.startsWith(prefix)));
  return { runs: oldOf(runs, keep, spared), leftovers: left.map((name) => `${temp}/${name}`) };
}

/** Deletes what old runs left. @returns what it was */
export async function dropOldRuns(root: string, keep: number, spared: ReadonlySet<string>): Promise<OldRuns> {
  const old = await findOldRuns(root, keep, spared);
  for (const run of old.runs) await remove(`${root}/${runFolder(run)}`);
  for (const folder of old.leftovers) await remove(folder);
  return old;
}
