import { type Git, openGit } from '../adapters/git/index.ts';
import {
  acquireRunLock,
  type ConfigFlags,
  copyToWorktree,
  findConfigFile,
  findWorkspace,
  loadOrThrow,
  mainRoot,
  readRunRecord,
  readStreamFile,
  rememberProject,
  STREAM_FILE_VERSION,
  type StreamFile,
  streamRoot,
  WORKTREES_FOLDER,
  type Workspace,
  writeFiles,
  writeStreamFile,
} from '../adapters/workspace/index.ts';
import { type Env, UsageError } from '../contracts/index.ts';
import { loopFiles } from '../loop/index.ts';
import { exists, list, makeDir, remove, removeEmptyDir, thisProcess, writeAtomic } from '../platform/index.ts';
import { refuseOddBranch } from './names.ts';
import { repairTree } from './repair.ts';
import { type OpenRun, setUpTree } from './set-up.ts';

interface PrepareInput {
  /** Of the work tree from which the stream is requested: a new branch starts from its HEAD. */
  readonly git: Git;
  /** The stream's, as found there. */
  readonly workspace: Workspace;
  readonly flags: ConfigFlags;
  readonly env: Env;
  readonly openRun: OpenRun;
  readonly signal: AbortSignal;
  /** Reports progress to people: one sentence. */
  readonly tell: (text: string) => void;
  readonly stream?: string;
  /** Default: that of its backlog. */
  readonly branch?: string;
  /** Instead of the spec folder there: texts by path. */
  readonly spec?: Readonly<Record<string, string>> | undefined;
}

export interface PreparedStream {
  readonly stream: string;
  /** The work tree, absolute. */
  readonly root: string;
  /** Holds its lock, run record, ledger and steering. */
  readonly stateDir: string;
  /** Of the spec folder, relative to it. */
  readonly specDir: string;
  readonly branch: string;
}

/** Its name for people and folders. */
export function streamName({ prdNumber, name }: Pick<Workspace, 'prdNumber' | 'name'>): string {
  return prdNumber === null ? name : `PRD-${prdNumber}`;
}

/** The branch of a stream. @throws FileProblemsError for an unreadable backlog */
export async function streamBranch(workspace: Workspace): Promise<string> {
  const { document } = await loadOrThrow(workspace);
  return document.backlog.branchName ?? `ralph/${workspace.name}`;
}

/** How long a start waits for another one that creates a work tree. */
const MAKING_PATIENCE_MS = 60_000;

/**
 * The work tree of a stream, created where there is none: on its branch, with spec folder and settings, set up as
 * configured. What a crash left half done is finished, damage is repaired; nothing is done twice.
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

const starting = (stream: string) => thisProcess(`ralph stream start ${stream}`);

/** One at a time in the repository: two calls that create the same work tree would collide. */
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
  // No other run may be at work while files are copied.
  const lock = await acquireRunLock(stateDir, starting(stream));
  try {
    return { prepared, file: await bringAll(input, own, prepared, { from, isThere }) };
  } finally {
    await lock.release();
  }
}

interface PrepareTreeInput extends Pick<PrepareInput, 'flags' | 'env' | 'openRun' | 'signal' | 'tell'> {
  readonly root: string;
  /** Of the spec folder, relative to it. */
  readonly specDir: string;
  /** Absolute: the source for the paths of `worktree.copy`; null where there is none. */
  readonly from: string | null;
}

/** Sets up an existing work tree once, with the settings of the copy source, else its own. @throws as `setUpTree` */
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
  // The settings' validation is slow to load, and a separate chunk.
  const { loadConfig } = await import('../adapters/workspace/config/config.ts');
  // The settings of the user who starts it decide how a work tree is prepared: the branch may have an old version of
  // them.
  const settings = input.from ?? root;
  const { config } = await loadConfig({ root: settings, env: input.env, flags: input.flags, onUntrusted: 'refuse' });
  const file = `${settings}/${(await findConfigFile(settings)) ?? 'ralph.config.json'}`;
  await setUpTree({ ...input, git, workspace, config, file });
}

export function workspaceOfStream(root: string, specDir: string): Promise<Workspace> {
  // Variables in the user's environment name folders of the checkout.
  return findWorkspace({ root, cwd: root, flags: { ralphDir: specDir }, env: {} });
}

/** Copies spec folder and settings, before anything else is done there. @returns what is now known of the stream */
async function bringAll(
  { git, workspace, tell, spec }: PrepareInput,
  own: Git,
  { stream, root, specDir, branch }: PreparedStream,
  { from, isThere }: { readonly from: string | null; readonly isThere: boolean },
): Promise<StreamFile> {
  const { stateDir } = own.repo;
  const head = await own.resolve('HEAD');
  const isNew =
    from !== null && head !== null && (await readRunRecord(stateDir)) === null && (await git.descends(from, head));
  // Where git ignores the spec folder, the branch does not have what its runs made of it.
  if (!isNew) await own.restoreSpec(specDir);
  await bringSpec(git.repo.root, root, workspace, isNew, spec);
  // It was worked on, but the record of its origin is lost: the branch checked out now is only a guess.
  const isLost = isThere && !isNew;
  if (isLost) tell('the branch it came from is no longer known; merge it with: ralph stream merge --into BRANCH');
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

/** Git in the checkout never sees the folder; the file that excludes it excludes itself, too. */
export async function hideWorktrees(main: string): Promise<void> {
  const folder = `${main}/${WORKTREES_FOLDER}`;
  await makeDir(folder);
  if (!(await exists(`${folder}/.gitignore`))) await writeAtomic(`${folder}/.gitignore`, '*\n');
}

export async function dropEmptyFolder(git: Pick<Git, 'worktrees'>): Promise<void> {
  const folder = `${await mainRoot(git)}/${WORKTREES_FOLDER}`;
  if ((await list(folder)).every((name) => name === '.gitignore')) await remove(`${folder}/.gitignore`);
  await removeEmptyDir(folder);
}

/**
 * Copies spec folder and settings into a new work tree in the user's version, committed or not: git checks out only
 * committed files, and the loop commits the rest there when it starts.
 * @param from absolute: the user's work tree
 * @param whole no work was done on the branch yet: also replaces files that it has in an older state
 */
export async function bringSpec(
  from: string,
  to: string,
  workspace: Workspace,
  whole: boolean,
  spec?: Readonly<Record<string, string>>,
): Promise<void> {
  const [config, there] = await Promise.all([findConfigFile(from), findConfigFile(to)]);
  // Of two files, choosing one would be a guess.
  const settings = config !== null && (there === null || there === config) ? [config] : [];
  for (const [path, text] of Object.entries(spec ?? {})) {
    if (whole || !(await exists(`${to}/${path}`))) await writeFiles(to, { [path]: text });
  }
  for (const path of [...(spec ? [] : specParts(workspace)), ...settings]) {
    if (!(await exists(`${from}/${path}`))) continue;
    if (!whole && (await exists(`${to}/${path}`))) continue;
    const problem = await copyToWorktree(from, to, [path]);
    if (problem === null) continue;
    throw new UsageError({
      what: `${path} cannot be brought into the worktree of the stream`,
      where: to,
      why: 'it lies outside of the project',
      fix: ['keep it in the project'],
    });
  }
}

/** The whole folder; of a folder that is the project itself only the loop's files. */
function specParts(workspace: Workspace): readonly string[] {
  const { specDir, prdPath, promptPath } = workspace;
  return specDir === '.' ? [...loopFiles(workspace), prdPath, promptPath] : [specDir];
}
