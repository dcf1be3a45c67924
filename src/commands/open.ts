import { resolve } from 'node:path';
import { openGit } from '../adapters/git/index.ts';
import type { Git } from '../adapters/git/port.ts';
import { findWorkspace, type Workspace } from '../adapters/workspace/layout.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { placeOf, type RawFlags, textOf } from './flags.ts';

/** The repository that a command works on: that of `--project-dir` or `RALPH_ROOT`, else of the current directory. @throws GitRefusal */
export async function openProject(flags: RawFlags, io: Io): Promise<Git> {
  return openGit(resolve(io.cwd, textOf(flags, 'projectDir') ?? (io.env['RALPH_ROOT'] || '.')));
}

/** The repository and the spec folder in it. @throws GitRefusal, UsageError when there is none or several */
export async function openWorkspace(
  flags: RawFlags,
  io: Io,
): Promise<{ readonly git: Git; readonly workspace: Workspace }> {
  const git = await openProject(flags, io);
  const workspace = await findWorkspace({ root: git.repo.root, cwd: io.cwd, flags: placeOf(flags), env: io.env });
  return { git, workspace };
}
