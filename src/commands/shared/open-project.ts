import { resolve } from 'node:path';
import { openGit } from '../../adapters/git/index.ts';
import type { Git } from '../../adapters/git/port.ts';
import { UsageError } from '../../contracts/errors.ts';
import { realPath, stat } from '../../platform/files/files.ts';
import { leaveOutWorkTree } from '../../platform/process/host-environment.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type RawFlags, textOf } from './flags.ts';

/** The repository that a command works on: that of `--project-dir` or `RALPH_ROOT`, else of the current directory. @throws GitRefusal, UsageError for a folder that is none */
export async function openProject(flags: RawFlags, io: Io, { toRun = false } = {}): Promise<Git> {
  const flag = textOf(flags, 'projectDir');
  const named = flag ?? io.env['RALPH_ROOT'];
  const dir = resolve(io.cwd, named || '.');
  if (named) await refuseNoFolder(flag === undefined ? 'RALPH_ROOT' : '--project-dir', dir);
  // Before the first git: the project may be elsewhere than the current directory.
  if (named) leaveOutWorkTree(process.env, dir);
  return openGit(dir, { unborn: !toRun });
}

/** Git would only say that it cannot be started there. */
async function refuseNoFolder(name: string, dir: string): Promise<void> {
  const found = await stat(await realPath(dir).catch(() => dir));
  if (found?.kind === 'dir') return;
  throw new UsageError({
    what: found === null ? `the folder that ${name} names does not exist` : `${name} does not name a folder`,
    where: dir,
    mend: [`give ${name} the folder of a project`],
  });
}
