import { openGit } from '../adapters/git/index.ts';
import type { Git } from '../adapters/git/port.ts';
import { loadOrThrow } from '../adapters/workspace/backlog/document.ts';
import type { ConfigFlags } from '../adapters/workspace/config/config.ts';
import { findConfigFile } from '../adapters/workspace/config/config-file.ts';
import { findWorkspace, type Workspace } from '../adapters/workspace/layout.ts';
import { rememberProject } from '../adapters/workspace/projects/projects.ts';
import { acquireRunLock } from '../adapters/workspace/records/run-lock.ts';
import { readRunRecord } from '../adapters/workspace/records/run-record.ts';
import { mainRoot, streamRoot, WORKTREES_FOLDER } from '../adapters/workspace/worktrees/places.ts';
import {
  readStreamFile,
  STREAM_FILE_VERSION,
  type StreamFile,
  writeStreamFile,
} from '../adapters/workspace/worktrees/stream-file.ts';
import { writeAtomic } from '../platform/files/atomic-file.ts';
import { exists, list, makeDir, remove, removeEmptyDir } from '../platform/files/files.ts';
import type { LockHolder } from '../platform/lock/lock.ts';
import { hostName, processId } from '../platform/process/process-facts.ts';
import { refuseOddBranch } from './branch-name.ts';
import { bringSpec } from './bring-spec.ts';
import type { OpenRun } from './open-run.ts';
import { repairTree } from './repair.ts';
import { setUpTree } from './set-up.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface PrepareInput {
  /** Of the work tree from which the stream is asked for: its HEAD is what a new branch starts from. */
  readonly git: Git;
  /** The stream's, as found there. */
  readonly workspace: Workspace;
  /** Settings that the command line names. */
  readonly flags: ConfigFlags;
  readonly env: Env;
  readonly openRun: OpenRun;
  readonly signal: AbortSignal;
  /** What is going on, for people: one sentence. */
  readonly tell: (text: string) => void;
  /** Its name; default: `PRD-N`, or the workspace's. */
  readonly stream?: string;
  /** Default: that of its backlog. */
  readonly branch?: string;
}

export interface PreparedStream {
  readonly stream: string;
  /** The work tree, absolute. */
  readonly root: string;
  /** Its lock, run record, ledger and steering are there. */
  readonly stateDir: string;
  /** Of the spec folder, relative to it. */
  readonly specDir: string;
  readonly branch: string;
}

/** As people and folders call it. */
export function streamName({ prdNumber, name }: Pick<Workspace, 'prdNumber' | 'name'>): string {
  return prdNumber === null ? name : `PRD-${prdNumber}`;
}

/** The branch of a stream. @throws FileProblemsError for a backlog that cannot be read */
export async function streamBranch(workspace: Workspace): Promise<string> {
  const { document } = await loadOrThrow(workspace);
  return document.backlog.branchName ?? `ralph/${workspace.name}`;
}

/** How long a start waits for another one that makes a work tree. */
const MAKING_PATIENCE_MS = 60_000;

/**
 * The work tree of a stream, made where there is none: on its branch, with spec folder and settings, set up as the
 * configuration says. What a crash left half done is finished, what was damaged is repaired; nothing is done twice.
 * @throws GitRefusal when the branch is checked out elsewhere; LockedError while a run works there; see `setUpTree`
 */
export async function prepareStream(input: PrepareInput): Promise<PreparedStream> {
  const { git, workspace, env } = input;
  const stream = input.stream ?? streamName(workspace);
  const branch = input.branch ?? (await streamBranch(workspace));
  refuseOddBranch(branch, workspace.specDir);
  const making = await acquireRunLock(`${git.repo.commonDir}/ralph/streams`, starting(stream), MAKING_PATIENCE_MS);
  const { prepared, file } = await findOrMake(input, stream, branch).finally(() => making.release());
  const { root, stateDir, specDir } = prepared;
  await rememberProject(env, { root, repository: git.repo.commonDir });
  if (file.prepared) return prepared;
  const lock = await acquireRunLock(stateDir, starting(stream));
  try {
    const now = (await readStreamFile(stateDir)) ?? file;
    if (now.prepared) return prepared;
    await setUp({ ...input, root, specDir, from: git.repo.root });
    await writeStreamFile(stateDir, { ...now, prepared: true });
  } finally {
    await lock.release();
  }
  return prepared;
}

function starting(stream: string): LockHolder {
  return {
    pid: processId(),
    host: hostName(),
    startedAt: new Date().toISOString(),
    run: `ralph stream start ${stream}`,
  };
}

/** One at a time in the repository: two that make the same work tree would be in each other's way. */
async function findOrMake(input: PrepareInput, stream: string, branch: string) {
  const { git, env, tell } = input;
  const main = await mainRoot(git);
  const root = streamRoot(main, stream);
  const from = await git.resolve('HEAD');
  const isThere = await repairTree({ git, root, env, tell });
  if (!isThere) {
    await hideWorktrees(main);
    await git.addWorktree({ path: root, branch, from: from ?? 'HEAD' });
  }
  const own = await openGit(root, { env });
  const { stateDir } = own.repo;
  const prepared: PreparedStream = { stream, root: own.repo.root, stateDir, specDir: input.workspace.specDir, branch };
  const known = await readStreamFile(stateDir);
  if (known !== null) return { prepared, file: known };
  // Another run must not be at work where files are brought.
  const lock = await acquireRunLock(stateDir, starting(stream));
  try {
    return { prepared, file: await bringAll(input, own, prepared, { from, isThere }) };
  } finally {
    await lock.release();
  }
}

export interface PrepareTreeInput extends Pick<PrepareInput, 'flags' | 'env' | 'openRun' | 'signal' | 'tell'> {
  /** The work tree that is to be set up, absolute. */
  readonly root: string;
  /** Of the spec folder, relative to it. */
  readonly specDir: string;
  /** Absolute: where the paths of `worktree.copy` are; null where there is no such place. */
  readonly from: string | null;
}

/** Sets up a work tree that somebody else made, by the settings of where it copies from, else its own, once. @throws as `setUpTree` */
export async function prepareTree(input: PrepareTreeInput): Promise<void> {
  const { stateDir } = (await openGit(input.root, { env: input.env })).repo;
  if (await exists(`${stateDir}/prepared`)) return;
  await setUp(input);
  await writeAtomic(`${stateDir}/prepared`, '');
}

async function setUp(input: PrepareTreeInput): Promise<void> {
  const git = await openGit(input.root, { env: input.env });
  const { root } = git.repo;
  const workspace = await workspaceOfStream(root, input.specDir);
  // What checks settings takes long to load, and is a chunk of its own.
  const { loadConfig } = await import('../adapters/workspace/config/config.ts');
  // How a work tree is made ready is what the person says who starts it: the branch may have an old state of that.
  const settings = input.from ?? root;
  const { config } = await loadConfig({ root: settings, env: input.env, flags: input.flags, onUntrusted: 'refuse' });
  const file = `${settings}/${(await findConfigFile(settings)) ?? 'ralph.config.json'}`;
  await setUpTree({ ...input, git, workspace, config, file });
}

/** The spec folder of a stream in its work tree. @throws UsageError when it is not there */
export function workspaceOfStream(root: string, specDir: string): Promise<Workspace> {
  // Variables of the person's name folders of the checkout.
  return findWorkspace({ root, cwd: root, flags: { ralphDir: specDir }, env: {} });
}

/** Spec folder and settings, before anything else is done there. @returns what is now known of the stream */
async function bringAll(
  { git, workspace, tell }: PrepareInput,
  own: Git,
  { stream, root, specDir, branch }: PreparedStream,
  { from, isThere }: { readonly from: string | null; readonly isThere: boolean },
): Promise<StreamFile> {
  const { stateDir } = own.repo;
  const head = await own.resolve('HEAD');
  const isNew =
    from !== null && head !== null && (await readRunRecord(stateDir)) === null && (await git.descends(from, head));
  await bringSpec(git.repo.root, root, workspace, isNew);
  // It was worked on, and what said where it came from is lost: what is checked out now is only a guess.
  const isLost = isThere && !isNew;
  if (isLost) tell('what it came from is not known any more; merge it with: ralph stream merge --into BRANCH');
  const commit = isLost && from && head ? await git.mergeBase(from, head) : from;
  const file: StreamFile = {
    version: STREAM_FILE_VERSION,
    stream,
    specDir,
    branch,
    base: { branch: isLost ? null : await git.currentBranch(), commit: commit ?? '' },
    prepared: false,
    createdAt: Date.now(),
  };
  await writeStreamFile(stateDir, file);
  return file;
}

/** Git in the checkout never sees the folder; the file that says so hides itself, too. */
export async function hideWorktrees(main: string): Promise<void> {
  const folder = `${main}/${WORKTREES_FOLDER}`;
  await makeDir(folder);
  if (!(await exists(`${folder}/.gitignore`))) await writeAtomic(`${folder}/.gitignore`, '*\n');
}

/** Removes the folder of worktrees once none is left in it. */
export async function dropEmptyFolder(git: Pick<Git, 'worktrees'>): Promise<void> {
  const folder = `${await mainRoot(git)}/${WORKTREES_FOLDER}`;
  if ((await list(folder)).every((name) => name === '.gitignore')) await remove(`${folder}/.gitignore`);
  await removeEmptyDir(folder);
}
