import { basename, isAbsolute, resolve } from 'node:path';
import {
  type Env,
  jsonObject,
  messageOf,
  type ProjectInfo,
  RalphError,
  type RunSummary,
} from '../../contracts/index.ts';
import {
  appendLine,
  list,
  makePrivateDir,
  openInside,
  readText,
  realPath,
  remove,
  stat,
  tempFolder,
  writePrivate,
} from '../../platform/index.ts';
import { foldRun, type RunFold, type RunView, summaryOf } from '../../rules/view/index.ts';
import { type EventFile, openEventFile } from './events/event-file.ts';
import { RUNS_FOLDER, runFolder } from './paths.ts';
import { runState } from './records/marker.ts';
import { stateHome } from './records/state-home.ts';
import { WORKTREES_FOLDER } from './streams.ts';

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
  return names.filter((name) => own.has(name));
}

/** Records that a run belongs to this work tree, before it writes its first event. */
export async function rememberRun(stateDir: string, run: string): Promise<void> {
  if (!(await ownRuns(stateDir)).has(run)) await appendLine(`${stateDir}/${FILE}`, run);
}

async function ownRuns(stateDir: string): Promise<ReadonlySet<string>> {
  return new Set((await readText(`${stateDir}/${FILE}`))?.split('\n'));
}

/** `<git dir>/ralph` of a work tree; null where there is no repository. */
async function stateDirOf(root: string): Promise<string | null> {
  const kind = (await stat(`${root}/.git`))?.kind;
  if (kind === 'dir') return `${root}/.git/ralph`;
  const pointer = kind === 'file' ? /^gitdir: (.+)/.exec((await readText(`${root}/.git`)) ?? '')?.[1] : undefined;
  return pointer === undefined ? null : `${resolve(root, pointer.trim())}/ralph`;
}

/**
 * What `dropOldRuns` would delete: all but the last `keep`, never one that is active or may be resumed. A runs folder behind
 * a link elsewhere contains nothing of this project.
 * @returns runs whose events and logs are deleted, oldest first; private folders of agents, left by a crash, absolute
 */
export async function findOldRuns(root: string, keep: number, spared: ReadonlySet<string>) {
  const [here, runsFolder] = await Promise.all([realPath(root), realPath(`${root}/${RUNS_FOLDER}`).catch(() => null)]);
  if (runsFolder !== `${here}/${RUNS_FOLDER}`) return { runs: [], leftovers: [] };
  const runs = await listRuns(root);
  const temp = await tempFolder();
  const dead = runs.filter((run) => !spared.has(run)).map(agentTempPrefix);
  const left = (await list(temp)).filter((name) => dead.some((prefix) => name.startsWith(prefix)));
  const old = runs.slice(0, Math.max(0, runs.length - keep)).filter((run) => !spared.has(run));
  return { runs: old, leftovers: left.map((name) => `${temp}/${name}`) };
}

/** Deletes what old runs left. @returns what was deleted */
export async function dropOldRuns(root: string, keep: number, spared: ReadonlySet<string>) {
  const old = await findOldRuns(root, keep, spared);
  for (const run of old.runs) await remove(`${root}/${runFolder(run)}`);
  for (const folder of old.leftovers) await remove(folder);
  return old;
}

/** Prefix of the private folders of a run's agents, so that those left by a crash are found. */
export function agentTempPrefix(run: string): string {
  return `ralph-agent-${run}-`;
}

/** The stored part of a project; the rest is derived from it. */
type Place = Pick<ProjectInfo, 'root' | 'repository'>;

/**
 * Records that a run was started in this work tree, so that monitor and dashboard find it from anywhere. A failed write
 * is ignored: it must not keep a run from starting.
 */
export async function rememberProject(env: Env, { root, repository }: Place): Promise<void> {
  const folder = projectsFolder(env);
  try {
    await makePrivateDir(folder);
    const text = `${JSON.stringify({ version: 1, root, repository })}\n`;
    await writePrivate(`${folder}/${idOf(root)}.json`, text, { fsync: false });
  } catch {
    return;
  }
}

/** The user's work trees in which runs were started and that still exist, by path. */
async function listProjects(env: Env): Promise<readonly ProjectInfo[]> {
  const folder = projectsFolder(env);
  const names = (await list(folder)).filter((name) => name.endsWith('.json'));
  const places = await Promise.all(names.map(async (name) => parsePlace(await readText(`${folder}/${name}`))));
  const there = await Promise.all(
    places.map(async (place) => (place && (await stat(place.root))?.kind === 'dir' ? [projectAt(place)] : [])),
  );
  return there.flat().sort((one, other) => (one.root < other.root ? -1 : 1));
}

/** The project of a work tree, recorded or not. */
export function projectAt({ root, repository }: Place): ProjectInfo {
  return { id: idOf(root), name: basename(root), root, repository };
}

function projectsFolder(env: Env): string {
  return `${stateHome(env)}/projects`;
}

function parsePlace(text: string | null): Place | null {
  const { root, repository } = jsonObject(text ?? '') ?? {};
  const isPlace = typeof root === 'string' && typeof repository === 'string' && isAbsolute(root);
  return isPlace ? { root, repository } : null;
}

/**
 * A short name for a path, always the same: FNV-1a with two offsets. A collision benefits no attacker, so a start need
 * not load node:crypto for it.
 */
function idOf(root: string): string {
  return [0x811c9dc5, 0x9e3779b9].map((basis) => hash(root, basis).toString(36).padStart(7, '0')).join('');
}

function hash(text: string, basis: number): number {
  let value = basis;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/**
 * The user's work trees in which runs were started, and with each repository those of its streams and lanes, even
 * before their first run.
 * @param more additional work trees, recorded or not
 */
export async function knownTrees(env: Env, more: readonly ProjectInfo[] = []): Promise<readonly ProjectInfo[]> {
  const known = [...(await listProjects(env)), ...more];
  const inside = await Promise.all(known.map(treesInside));
  const all = new Map([...known, ...inside.flat()].map((project) => [project.root, project]));
  return [...all.values()].sort((one, other) => (one.root < other.root ? -1 : 1));
}

async function treesInside({ root, repository }: ProjectInfo): Promise<readonly ProjectInfo[]> {
  const folder = `${root}/${WORKTREES_FOLDER}`;
  const roots = (await list(folder)).map((name) => `${folder}/${name}`);
  // A linked work tree has a `.git` file where others have a folder.
  const there = await Promise.all(roots.map(async (one) => (await stat(`${one}/.git`))?.kind === 'file'));
  return roots.filter((_, i) => there[i]).map((one) => projectAt({ root: one, repository }));
}

/** A run as far as it was read; the next call reads only what was appended. */
interface Known {
  readonly file: EventFile;
  readonly seen: Pick<RunFold, 'see' | 'view'>;
}

/** Number of runs kept between calls. Older ones are read again on demand. */
const MOST_KNOWN = 200;
const known = new Map<string, Known>();

/**
 * A run in one line. Agents' activity is not parsed, and lines already read are not read again.
 * @throws StateError when its log is of a later version
 */
export async function summariseRun(root: string, project: string, run: string): Promise<RunSummary> {
  const view = await headlinesOf(root, run);
  return summaryOf(view, project, await runState(root, view));
}

/**
 * The last runs of a project, newest first: also those with an unusable log, with the reason. Folders without a single
 * event are ignored: they may contain anything.
 */
export async function listRunSummaries(
  project: Pick<ProjectInfo, 'id' | 'root'>,
  { limit }: { readonly limit: number },
): Promise<readonly RunSummary[]> {
  const runs = (await listRuns(project.root)).slice(-Math.max(limit, MOST_LOOKED_AT)).reverse();
  const summaries: RunSummary[] = [];
  // One after the other: reading many long logs at once could exhaust the memory.
  for (const run of runs) {
    if (summaries.length >= limit) break;
    const summary = await summaryOrProblem(project, run);
    if (summary === null) continue;
    // A run that another run followed needs no person's action.
    const isOver = summaries.length > 0 && (summary.state === 'ended' || summary.state === 'cut-off');
    summaries.push(isOver ? { ...summary, needs: null } : summary);
  }
  return summaries;
}

/** Number of inspected folders, including empty ones. */
const MOST_LOOKED_AT = 1_000;

/** Null for a folder that is not a run: an empty one, or a link to another one. */
async function summaryOrProblem(project: Pick<ProjectInfo, 'id' | 'root'>, run: string): Promise<RunSummary | null> {
  const folder = `${project.root}/${runFolder(run)}`;
  if ((await stat(folder))?.kind !== 'dir') return null;
  try {
    const summary = await summariseRun(project.root, project.id, run);
    if (summary.lastEventAt !== null) return summary;
  } catch (error) {
    return unusable(project, run, problemOf(error));
  }
  const log = await stat(`${folder}/events.jsonl`);
  const why = log?.kind === 'file' ? await whyUnreadable(project.root, `${runFolder(run)}/events.jsonl`) : null;
  return why === null ? null : unusable(project, run, `its log ${why}`);
}

async function whyUnreadable(root: string, path: string): Promise<string | null> {
  const opened = await openInside(root, path);
  if (opened.file === null) return opened.why;
  await opened.file.close();
  return null;
}

/** A run of which only its existence is known, and whether it is alive. */
async function unusable({ id, root }: Pick<ProjectInfo, 'id' | 'root'>, run: string, problem: string) {
  const view = foldRun(run).view();
  const state = await runState(root, view);
  return { ...summaryOf(view, id, state === 'cut-off' ? 'ended' : state), problem, needs: null };
}

function problemOf(error: unknown): string {
  if (error instanceof RalphError) return error.facts.what;
  return `its log cannot be read: ${messageOf(error)}`;
}

/**
 * The view of a run without agents' activity, from its current log; empty without a log.
 * @throws StateError when the log is of a later version
 */
export async function headlinesOf(root: string, run: string): Promise<RunView> {
  const key = `${root}\n${run}`;
  for (let entry = known.get(key) ?? (await unread(root, run)); ; entry = await unread(root, run)) {
    const { file, seen } = entry;
    let advanced = await file.advance(seen.see, { headlines: true });
    while (advanced === 'grown') advanced = await file.advance(seen.see, { headlines: true });
    if (advanced === 'replaced') continue;
    const view = seen.view();
    // Empty folders would displace the others.
    if (view.lastEventAt !== 0) remember(key, entry);
    return view;
  }
}

async function unread(root: string, run: string): Promise<Known> {
  return { file: await openEventFile(root, run), seen: foldRun(run) };
}

/** Keeps the most recently requested ones. */
function remember(key: string, entry: Known): void {
  known.delete(key);
  known.set(key, entry);
  const oldest = known.size > MOST_KNOWN ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
}
