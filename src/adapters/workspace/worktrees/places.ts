import { basename } from 'node:path';
import { RalphError } from '../../../contracts/errors.ts';
import { STATE_FOLDER } from '../paths.ts';
import { readStreamFile, type StreamFile } from './stream-file.ts';

/** Where the work trees of streams are, relative to the root of the main work tree. */
export const WORKTREES_FOLDER = `${STATE_FOLDER}/worktrees`;

/** A work tree as git lists it; as much of it as is needed here. */
interface ListedTree {
  readonly root: string;
  readonly gitDir: string;
  readonly head: string;
  readonly branch: string | null;
  readonly main: boolean;
  readonly missing: boolean;
}

/** What is asked of git: this room knows nothing of its neighbours. */
interface Trees {
  worktrees(): Promise<readonly ListedTree[]>;
}

/** A work tree below the folder for streams. */
export interface StreamTree {
  /** Name of its folder. */
  readonly name: string;
  /** Absolute. */
  readonly root: string;
  /** Its lock, run record, ledger and steering are there. */
  readonly stateDir: string;
  readonly head: string;
  /** Short name of what is checked out, null when detached. */
  readonly branch: string | null;
  /** Git knows it, but its folder is gone. */
  readonly missing: boolean;
  /** Null: it is no stream's (or not yet), or its file cannot be read. */
  readonly file: StreamFile | null;
  /** Why the file cannot be read, for people; null when it can, or when there is none. */
  readonly problem: string | null;
}

/** Every work tree of the repository below the folder for streams, in git's order. One that is damaged hides no other. */
export async function listStreams(git: Trees): Promise<readonly StreamTree[]> {
  const trees = await git.worktrees();
  const folder = `${rootOfMain(trees)}/${WORKTREES_FOLDER}/`;
  return Promise.all(trees.filter((tree) => !tree.main && tree.root.startsWith(folder)).map(streamTree));
}

/** Root of the work tree that the repository was made with, from whichever of its work trees one asks. */
export async function mainRoot(git: Trees): Promise<string> {
  return rootOfMain(await git.worktrees());
}

/** Where the work tree of a stream is, or will be. */
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
