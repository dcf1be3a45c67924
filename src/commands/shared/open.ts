import type { Git } from '../../adapters/git/port.ts';
import type { LoadedConfig } from '../../adapters/workspace/config/config.ts';
import type { OnUntrusted } from '../../adapters/workspace/config/trust.ts';
import { findWorkspace, type Workspace } from '../../adapters/workspace/layout.ts';
import { isCutOff } from '../../adapters/workspace/records/journal.ts';
import { readStreamFile } from '../../adapters/workspace/worktrees/stream-file.ts';
import type { Config } from '../../contracts/config.ts';
import { exists } from '../../platform/files/files.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { placeOf, type RawFlags } from './flags.ts';
import { openProject } from './open-project.ts';

export { openProject } from './open-project.ts';

/** The repository and the spec folder in it. @throws GitRefusal, UsageError when there is none or several */
export async function openWorkspace(
  flags: RawFlags,
  io: Io,
): Promise<{ readonly git: Git; readonly workspace: Workspace }> {
  const git = await openProject(flags, io);
  return { git, workspace: await workspaceIn(git, flags, io) };
}

/**
 * The spec folder of a repository; in the work tree of a stream that of the stream, unless another one is named.
 * @throws UsageError when there is none or several
 */
export async function workspaceIn(git: Git, flags: RawFlags, io: Io): Promise<Workspace> {
  const place = placeOf(flags);
  const isNamed = place.prd !== undefined || place.ralphDir !== undefined || OF_SPECS.some((name) => io.env[name]);
  const stream = isNamed ? null : await readStreamFile(git.repo.stateDir);
  const { root } = git.repo;
  const own = stream && (await exists(`${root}/${stream.specDir}`)) ? { ralphDir: `${root}/${stream.specDir}` } : {};
  return findWorkspace({ root, cwd: io.cwd, flags: { ...place, ...own }, env: io.env });
}

/** Variables that name a spec folder. */
const OF_SPECS = ['PRD_NUMBER', 'PLAN_PATH', 'PROGRESS_PATH'];

/** The workspace with the files of its plugins, which agents may not change. */
export async function withPluginFiles<T extends Pick<Workspace, 'root' | 'hostFiles'>>(
  workspace: T,
  { plugins }: Pick<Config, 'plugins'>,
): Promise<T> {
  if (plugins.length === 0) return workspace;
  const { pluginFiles } = await import('../../adapters/plugins/plugin-files.ts');
  return { ...workspace, hostFiles: await pluginFiles(workspace.root, plugins) };
}

/**
 * The effective configuration of a repository, without flags. Code in it is not run while a crash is not recovered from.
 * What needs trust and has none is left out, and said, unless it is to be refused.
 * @throws FileProblemsError, ConfigError
 */
export async function configIn(git: Git, io: Io, onUntrusted: OnUntrusted = 'leave-out'): Promise<LoadedConfig> {
  const runsCode = !(await isCutOff(git.repo.stateDir));
  // Most commands never ask, and what checks settings takes long to load.
  const { loadConfig } = await import('../../adapters/workspace/config/config.ts');
  const loaded = await loadConfig({ root: git.repo.root, env: io.env, flags: {}, runsCode, onUntrusted });
  for (const warning of loaded.distrust) io.stderr.write(`warning: ${warning}\n`);
  return loaded;
}
