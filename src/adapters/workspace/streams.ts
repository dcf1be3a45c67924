import { basename, dirname, posix } from 'node:path';
import {
  anything,
  as,
  exactly,
  fits,
  jsonObject,
  maybe,
  nullOr,
  number,
  type Of,
  object,
  RalphError,
  text,
  truth,
} from '../../contracts/index.ts';
import {
  copyBelow,
  exists,
  isInProject,
  openAppendLog,
  orNull,
  readInside,
  realPath,
  writePrivate,
} from '../../platform/index.ts';
import { STATE_FOLDER } from './paths.ts';
import { readStateFile, type StateFileKind } from './records/state-file.ts';

/** Where the work trees of streams are, relative to the root of the main work tree. */
export const WORKTREES_FOLDER = `${STATE_FOLDER}/worktrees`;

/** A work tree as git lists it; only the fields needed here. */
interface ListedTree {
  readonly root: string;
  readonly gitDir: string;
  readonly head: string;
  readonly branch: string | null;
  readonly main: boolean;
  readonly missing: boolean;
}

/** The git operations needed here: this module does not depend on its neighbours. */
interface Trees {
  worktrees(): Promise<readonly ListedTree[]>;
}

/** A work tree below the folder for streams. */
export interface StreamTree {
  readonly name: string;
  /** Absolute. */
  readonly root: string;
  /** The folder of its lock, run record, ledger and steering. */
  readonly stateDir: string;
  readonly head: string;
  /** Short name of the checked-out branch, null when detached. */
  readonly branch: string | null;
  /** Git knows it, but its folder is gone. */
  readonly missing: boolean;
  /** Null: it does not (or not yet) belong to a stream, or its file cannot be read. */
  readonly file: StreamFile | null;
  /** Why the file cannot be read, for people; null when it can, or when there is none. */
  readonly problem: string | null;
}

/** Every work tree of the repository below the folder for streams, in git's order. A damaged one hides no other. */
export async function listStreams(git: Trees): Promise<readonly StreamTree[]> {
  const trees = await git.worktrees();
  const folder = `${rootOfMain(trees)}/${WORKTREES_FOLDER}/`;
  return Promise.all(trees.filter((tree) => !tree.main && tree.root.startsWith(folder)).map(streamTree));
}

/** Root of the repository's main work tree, from any of its work trees. */
export async function mainRoot(git: Trees): Promise<string> {
  return rootOfMain(await git.worktrees());
}

/** Where the work tree of a stream is or will be. */
export function streamRoot(main: string, stream: string): string {
  return `${main}/${WORKTREES_FOLDER}/${stream}`;
}

async function streamTree({ root, gitDir, head, branch, missing }: ListedTree): Promise<StreamTree> {
  const stateDir = `${gitDir}/ralph`;
  return { name: basename(root), root, stateDir, head, branch, missing, ...(await fileOf(stateDir)) };
}

async function fileOf(stateDir: string): Promise<Pick<StreamTree, 'file' | 'problem'>> {
  try {
    return { file: await readStreamFile(stateDir), problem: null };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { file: null, problem: [error.facts.what, error.facts.why].filter(Boolean).join(': ') };
  }
}

function rootOfMain(trees: readonly ListedTree[]): string {
  const main = trees.find((tree) => tree.main);
  if (main === undefined) throw new Error('git listed no main work tree');
  return main.root;
}

export const STREAM_FILE_VERSION = 1;

/** What makes a work tree a stream's; beside its run record, in the state folder of its own git dir. */
const STREAM = object({
  version: exactly(STREAM_FILE_VERSION),
  /** The stream's name: `PRD-3`, or the workspace's name. */
  stream: text,
  /** Relative to the work tree. */
  specDir: text,
  branch: text,
  /** Where the branch began and will be merged: the branch that was checked out then (null: none), and its commit. */
  base: object({ branch: nullOr(text), commit: text }),
  /** The files that the configuration copies are there, and the set-up commands have succeeded. */
  prepared: truth,
  /** Epoch ms. */
  createdAt: number,
});
export type StreamFile = Of<typeof STREAM>;

const KIND: StateFileKind = {
  name: 'stream file',
  version: STREAM_FILE_VERSION,
  shape: STREAM,
  fix: '`ralph stream start` rewrites it; the branch, its commits and the ledger are untouched',
};

/**
 * The stream file in a work tree's state folder; null when it belongs to no stream.
 * @throws StateError when it is unreadable (the original is set aside) or of a later version.
 */
export async function readStreamFile(stateDir: string): Promise<StreamFile | null> {
  return (await readStateFile(pathIn(stateDir), KIND)) as StreamFile | null;
}

/** Replaces it, atomically and fsynced. */
export async function writeStreamFile(stateDir: string, file: StreamFile): Promise<void> {
  await writePrivate(pathIn(stateDir), `${JSON.stringify(file)}\n`);
}

function pathIn(stateDir: string): string {
  return `${stateDir}/stream.json`;
}

/**
 * Copies the entries of `checks.copy` into a fresh work tree, replacing existing files. An obstacle planted by an
 * agent must not bring in files from outside the project.
 * @param root of the project, symbolic links resolved
 * @param given files and folders relative to the project
 * @returns the problem with the first that cannot be copied, as a sentence for people; null when all were copied
 */
export async function copyToWorktree(root: string, dir: string, given: readonly string[]): Promise<string | null> {
  for (const path of given) {
    const problem = await copyOne(root, dir, path);
    if (problem !== null) return problem;
  }
  return null;
}

async function copyOne(root: string, dir: string, given: string): Promise<string | null> {
  const path = posix.normalize(given).replace(/\/$/, '');
  const real = await orNull(realPath(dirname(`${root}/${path}`)));
  const isInside = !/^(?:\/|\.\.(?:\/|$))/.test(path) && real !== null && isInProject(real, root);
  if (!isInside || !(await exists(`${root}/${path}`))) return `checks.copy names ${given}, which is not in the project`;
  await copyBelow(`${root}/${path}`, dir, path);
  return null;
}

/** An agent's request to merge its branch: a person decides. */
interface MergeRequest {
  /** ISO 8601. */
  readonly at: string;
  readonly run: string;
  readonly story: string;
  readonly branch: string | null;
  readonly title: string;
  readonly body: string;
}

const REQUESTS_FILE = '.ralph/state/merge-requests.jsonl';
const MOST_REQUEST_BYTES = 4 * 1024 * 1024;

const REQUEST = object({
  at: text,
  run: maybe(text),
  story: text,
  title: text,
  body: maybe(text),
  branch: maybe(nullOr(text)),
});

/** A person's command marks all requests of a branch up to a time as handled, by the merge request that it opened. */
const HANDLED = object({ handled: text, upTo: text, url: as<string>(anything) });
type Handled = Of<typeof HANDLED>;

/**
 * Agents' open requests to merge this branch, which no person has handled, oldest first. Agents may write the file:
 * invalid lines are skipped.
 */
export async function openMergeRequests(root: string, branch: string): Promise<readonly MergeRequest[]> {
  const { bytes } = await readInside(root, REQUESTS_FILE, MOST_REQUEST_BYTES);
  const lines = (bytes?.toString('utf8') ?? '').split('\n').flatMap(parsed);
  const seen = lines.flatMap((line) => ('handled' in line && line.handled === branch ? [line.upTo] : []));
  return lines.filter(
    (line): line is MergeRequest =>
      'title' in line && (line.branch === null || line.branch === branch) && !seen.some((upTo) => line.at <= upTo),
  );
}

/** Records that the requests of a branch are handled. */
export function markMergeRequestsHandled(root: string, branch: string, upTo: string, url: string): void {
  appendMergeRequest(root, { handled: branch, upTo, url });
}

function parsed(line: string): readonly (MergeRequest | Handled)[] {
  const value = jsonObject(line);
  if (fits(HANDLED, value)) return [value];
  return fits(REQUEST, value) ? [{ branch: null, body: '', run: '', ...value }] : [];
}

/** Queues a merge request in the workspace's state, or that some are handled. */
export function appendMergeRequest(root: string, line: MergeRequest | Handled): void {
  const log = openAppendLog(`${root}/${REQUESTS_FILE}`);
  try {
    log.append(JSON.stringify(line));
  } finally {
    log.close();
  }
}
