import type { Io } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { lanesAsked, parseRunFlags } from './flags.ts';

/** `ralph run`: the loop, or with `--dry-run` what it would do first. */
export async function run(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const asked = parseRunFlags(args, flags, io.cwd);
  const lanes = lanesAsked(flags, asked.request);
  // This file's own imports are light: git reads the repository while the others load.
  const [git, { runOpened }] = await Promise.all([
    openProject(flags, io, { toRun: true }),
    import('./run-opened.ts'),
    asked.dryRun ? null : import('./live.ts'),
  ]);
  return runOpened(git, flags, { asked, lanes, io });
}
