import { resolve } from 'node:path';
import { type Git, openGit } from '../../adapters/git/index.ts';
import {
  acquireRunLock,
  findWorkspace,
  isCutOff,
  type LoadedConfig,
  NoSpecFolder,
  type OnUntrusted,
  readStreamFile,
  type Workspace,
} from '../../adapters/workspace/index.ts';
import { type Config, LockedError, UsageError } from '../../contracts/index.ts';
import { exists, hostName, leaveOutWorkTree, processId, realPath, stat, systemClock } from '../../platform/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { placeOf, type RawFlags, textOf } from './flags.ts';

/** The repository and its spec folder. @throws GitRefusal, UsageError when there is none or several */
export async function openWorkspace(
  flags: RawFlags,
  io: Io,
): Promise<{ readonly git: Git; readonly workspace: Workspace }> {
  const git = await openProject(flags, io);
  return { git, workspace: await workspaceIn(git, flags, io) };
}

/**
 * The spec folder of a repository; in a stream's work tree that of the stream, unless another one is named.
 * @throws UsageError when there is none or several
 */
export async function workspaceIn(git: Git, flags: RawFlags, io: Io): Promise<Workspace> {
  const place = placeOf(flags);
  const isNamed = place.prd !== undefined || place.ralphDir !== undefined || OF_SPECS.some((name) => io.env[name]);
  const stream = isNamed ? null : await readStreamFile(git.repo.stateDir);
  const { root } = git.repo;
  const own = stream && (await exists(`${root}/${stream.specDir}`)) ? { ralphDir: `${root}/${stream.specDir}` } : {};
  try {
    return await findWorkspace({ root, cwd: io.cwd, flags: { ...place, ...own }, env: io.env });
  } catch (error) {
    if (!(error instanceof NoSpecFolder)) throw error;
    const restored = await git.restoreSpec(null);
    if (restored.length > 0) {
      io.stderr.write(`restored from refs/ralph/spec: ${restored.join(', ')}\n`);
      return workspaceIn(git, flags, io);
    }
    const { pointElsewhere } = await import('./elsewhere.ts');
    throw await pointElsewhere(git, error);
  }
}

export const OF_SPECS: readonly string[] = ['PRD_NUMBER', 'PLAN_PATH', 'PROGRESS_PATH'];

/** The workspace including the files of its plugins, which agents may not change. */
export async function withPluginFiles<T extends Pick<Workspace, 'root' | 'hostFiles'>>(
  workspace: T,
  { plugins }: Pick<Config, 'plugins'>,
): Promise<T> {
  if (plugins.length === 0) return workspace;
  const { pluginFiles } = await import('../../adapters/plugins/find-plugin.ts');
  return { ...workspace, hostFiles: await pluginFiles(workspace.root, plugins) };
}

/**
 * The effective configuration of a repository, without flags. Its code is not run until a crash is recovered from.
 * Untrusted settings are left out and reported, unless they are to be refused.
 * @throws FileProblemsError, ConfigError
 */
export async function configOf(git: Git, io: Io, onUntrusted: OnUntrusted = 'leave-out'): Promise<LoadedConfig> {
  const runsCode = !(await isCutOff(git.repo.stateDir));
  // Most commands never need it, and the settings' validation is slow to load.
  const { loadConfig } = await import('../../adapters/workspace/config/config.ts');
  const loaded = await loadConfig({ root: git.repo.root, env: io.env, flags: {}, runsCode, onUntrusted });
  for (const warning of loaded.distrust) io.stderr.write(`warning: ${warning}\n`);
  return loaded;
}

/**
 * The repository that a command works on: that of `--project-dir` or `RALPH_ROOT`, else of the current directory.
 * @throws GitRefusal, UsageError when the folder does not exist
 */
export async function openProject(flags: RawFlags, io: Io, { toRun = false } = {}): Promise<Git> {
  const flag = textOf(flags, 'projectDir');
  const named = flag ?? io.env['RALPH_ROOT'];
  const dir = resolve(io.cwd, named || '.');
  if (named) await refuseNoFolder(flag === undefined ? 'RALPH_ROOT' : '--project-dir', dir);
  // Before the first git call: the project may be outside the current directory.
  if (named) leaveOutWorkTree(process.env, dir);
  return openGit(dir, { unborn: !toRun });
}

/** Git's own message would only say that it cannot be started there. */
async function refuseNoFolder(name: string, dir: string): Promise<void> {
  const found = await stat(await realPath(dir).catch(() => dir));
  if (found?.kind === 'dir') return;
  throw new UsageError({
    what: found === null ? `the folder that ${name} names does not exist` : `${name} does not name a folder`,
    where: dir,
    fix: [`give ${name} the folder of a project`],
  });
}

/** What an interrupted agent left in the checkout does not count. @throws LockedError beside a run, unless `mayRun` */
export async function secureCheckout(git: Git, mayRun = true): Promise<void> {
  const { secureStart } = await import('../../loop/protect/secure.ts');
  try {
    await secureStart(git, systemClock);
  } catch (error) {
    if (!(error instanceof LockedError) || !mayRun) throw error;
  }
}

/**
 * Runs a task while no run can start.
 * @param command its name for processes that wait for the lock
 * @throws LockedError (exit 4) naming the run that holds the lock
 */
export async function withRunLock<T>(stateDir: string, command: string, task: () => Promise<T>): Promise<T> {
  const startedAt = new Date().toISOString();
  const lock = await acquireRunLock(stateDir, { pid: processId(), host: hostName(), startedAt, run: command });
  try {
    return await task();
  } finally {
    await lock.release();
  }
}
