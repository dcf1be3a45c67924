import { loadConfig } from '../adapters/workspace/config.ts';
import { isCutOff } from '../adapters/workspace/journal.ts';
import { secureStart } from '../loop/secure.ts';
import { systemClock } from '../platform/clock.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import type { RawFlags } from './flags.ts';
import { openProject, withPluginFiles, workspaceIn } from './open.ts';
import { parseRunFlags } from './run-flags.ts';

/** `ralph run`: the loop, or with `--dry-run` what it would do first. */
export async function run(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const asked = parseRunFlags(args, flags, io.cwd);
  const git = await openProject(flags, io, { toRun: true });
  if (!asked.dryRun) await secureStart(git, systemClock);
  const workspace = await workspaceIn(git, flags, io);
  const runsCode = !asked.dryRun || !(await isCutOff(git.repo.stateDir));
  const { config, warnings } = await loadConfig({ root: git.repo.root, env: io.env, flags: asked.config, runsCode });
  for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`);
  const place = { git, workspace, clock: systemClock };
  if (asked.dryRun) {
    const { printDryRun } = await import('./dry-run.ts');
    return printDryRun(place, config, asked.request, asked.json, io);
  }
  // The loop, its agents and its output are no part of a plan.
  const { runLive } = await import('./run-live.ts');
  return runLive({ ...place, workspace: await withPluginFiles(workspace, config) }, config, asked, io);
}
