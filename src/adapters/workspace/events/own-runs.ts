import { resolve } from 'node:path';
import { appendLine, exists, list, readText, realPath, remove, stat, tempFolder } from '../../../platform/index.ts';
import { RUNS_FOLDER, runFolder } from '../paths.ts';

/** One name per line: the runs of this work tree, in its git dir, where no clone and no agent inside can write. */
const FILE = 'runs';
const RUN = /^\d{8}-\d{6}-[a-z0-9]+$/;

/**
 * Names of the runs of this work tree that left events, oldest first. Folders that came with a clone, or that an agent
 * made, never count as ours.
 */
export async function listRuns(root: string): Promise<readonly string[]> {
  const names = (await list(`${root}/${RUNS_FOLDER}`)).filter((name) => RUN.test(name));
  if (names.length === 0) return [];
  const stateDir = await stateDirOf(root);
  // Without a git dir the owner of a run is unknown.
  if (stateDir === null) return names;
  const own = await ownRuns(stateDir);
  return own === null ? namesBefore(stateDir, names) : names.filter((name) => own.has(name));
}

/** Records that a run belongs to this work tree, before it writes its first event. */
export async function rememberRun(root: string, stateDir: string, run: string): Promise<void> {
  const own = await ownRuns(stateDir);
  if (own?.has(run)) return;
  const before = own === null ? await namesBefore(stateDir, await list(`${root}/${RUNS_FOLDER}`)) : [];
  await appendLine(`${stateDir}/${FILE}`, [...before.filter((name) => RUN.test(name) && name !== run), run].join('\n'));
}

async function ownRuns(stateDir: string): Promise<ReadonlySet<string> | null> {
  const text = await readText(`${stateDir}/${FILE}`);
  return text === null ? null : new Set(text.split('\n'));
}

/** Earlier versions kept no list: where they left a ledger, the existing folders are theirs. */
async function namesBefore(stateDir: string, names: readonly string[]): Promise<readonly string[]> {
  return (await exists(`${stateDir}/ledger.jsonl`)) ? names : [];
}

/** `<git dir>/ralph` of a work tree; null where there is no repository. */
async function stateDirOf(root: string): Promise<string | null> {
  const kind = (await stat(`${root}/.git`))?.kind;
  if (kind === 'dir') return `${root}/.git/ralph`;
  const pointer = kind === 'file' ? /^gitdir: (.+)/.exec((await readText(`${root}/.git`)) ?? '')?.[1] : undefined;
  return pointer === undefined ? null : `${resolve(root, pointer.trim())}/ralph`;
}

/** What old runs left. The history stays: it is in the ledger and in git. */
interface OldRuns {
  /** Runs whose events and logs are deleted, oldest first. */
  readonly runs: readonly string[];
  /** Private folders of agents, left by a crash, absolute. */
  readonly leftovers: readonly string[];
}

/**
 * The runs to delete: all but the last `keep`, never one that is active or may be resumed.
 * @param runs oldest first
 */
export function oldOf(runs: readonly string[], keep: number, spared: ReadonlySet<string>): readonly string[] {
  return runs.slice(0, Math.max(0, runs.length - keep)).filter((run) => !spared.has(run));
}

/** What `dropOldRuns` would delete. A runs folder behind a link elsewhere contains nothing of this project. */
export async function findOldRuns(root: string, keep: number, spared: ReadonlySet<string>): Promise<OldRuns> {
  const [here, runsFolder] = await Promise.all([realPath(root), realPath(`${root}/${RUNS_FOLDER}`).catch(() => null)]);
  if (runsFolder !== `${here}/${RUNS_FOLDER}`) return { runs: [], leftovers: [] };
  const runs = await listRuns(root);
  const temp = await tempFolder();
  const dead = runs.filter((run) => !spared.has(run)).map(agentTempPrefix);
  const left = (await list(temp)).filter((name) => dead.some((prefix) => name.startsWith(prefix)));
  return { runs: oldOf(runs, keep, spared), leftovers: left.map((name) => `${temp}/${name}`) };
}

/** Deletes what old runs left. @returns what was deleted */
export async function dropOldRuns(root: string, keep: number, spared: ReadonlySet<string>): Promise<OldRuns> {
  const old = await findOldRuns(root, keep, spared);
  for (const run of old.runs) await remove(`${root}/${runFolder(run)}`);
  for (const folder of old.leftovers) await remove(folder);
  return old;
}

/** Prefix of the private folders of a run's agents, so that those left by a crash are found. */
export function agentTempPrefix(run: string): string {
  return `ralph-agent-${run}-`;
}
