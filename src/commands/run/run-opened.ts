import type { Git } from '../../adapters/git/port.ts';
import { loadConfig } from '../../adapters/workspace/config/config.ts';
import { freeze } from '../../adapters/workspace/config/frozen.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { isCutOff } from '../../adapters/workspace/records/journal.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import { withPluginFiles, workspaceIn } from '../shared/open.ts';
import { printLines } from '../shared/print.ts';
import { printDryRun } from './dry-run.ts';
import type { RunFlags } from './flags.ts';

interface Asked {
  readonly asked: RunFlags;
  readonly lanes: number;
  readonly io: Io;
}

/** `ralph run` in a repository that has been opened. */
export async function runOpened(git: Git, flags: RawFlags, { asked, lanes, io }: Asked): Promise<number> {
  if (!asked.worktree) return runIn(git, () => workspaceIn(git, flags, io), { asked, lanes, io });
  const { openWorktree } = await import('./worktree.ts');
  const { workspaceOfStream } = await import('../../streams/tree.ts');
  const tree = await openWorktree(git, asked, flags, io);
  const code = await runIn(tree.git, () => workspaceOfStream(tree.git.repo.root, tree.specDir), { asked, lanes, io });
  if (!asked.json) printLines(io, tree.farewell);
  return code;
}

/** At a terminal, what is not trusted yet is shown and asked about before the run would be refused. */
async function offerTrust(git: Git, io: Io): Promise<void> {
  if (!io.isTTY || process.stdin.isTTY !== true) return;
  const { askForTrust } = await import('../trust.ts');
  await askForTrust(git, io);
}

/** In a work tree; its spec folder is looked for when nothing of a crash is in the way any more. */
async function runIn(git: Git, find: () => Promise<Workspace>, { asked, lanes, io }: Asked): Promise<number> {
  if (!asked.dryRun) await (await import('../../loop/keep/secure.ts')).secureStart(git, systemClock);
  const workspace = await find();
  const runsCode = !asked.dryRun || !(await isCutOff(git.repo.stateDir));
  const { root } = git.repo;
  if (!asked.dryRun) {
    await offerTrust(git, io);
    await freeze(root, 'repository');
  }
  const onUntrusted = 'refuse';
  const { config, warnings } = await loadConfig({ root, env: io.env, flags: asked.config, runsCode, onUntrusted });
  for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`);
  const place = { git, workspace, clock: systemClock };
  if (asked.dryRun) return printDryRun(place, config, asked.request, asked.json, io);
  const ready = { ...place, workspace: await withPluginFiles(workspace, config) };
  if (lanes > 1) {
    const { runParallel } = await import('./parallel.ts');
    return runParallel(ready, config, asked, lanes, io);
  }
  // The loop, its agents and its output are no part of a plan.
  const { clearHeldLanes, tellOfHeldLanes } = await import('./held-lanes.ts');
  await tellOfHeldLanes(place, io);
  const { runLive } = await import('./live.ts');
  const code = await runLive(ready, config, asked, io);
  await clearHeldLanes(place, io);
  return code;
}
