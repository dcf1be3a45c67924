import { runCommand, SpawnFailed } from '../../../platform/process/run-command.ts';
import { isWithin } from '../view/paths.ts';
import { findFile } from '../view/programs.ts';
import { type Abilities, namespaceArguments } from './render.ts';
import { seccompFilter } from './seccomp.ts';

/** A bwrap that makes sandboxes here. */
export interface Bwrap extends Abilities {
  readonly file: string;
  /** `0.8.0`. */
  readonly version: string;
  /** Its filter of system calls; null where there is none for this machine, or the kernel takes none. */
  readonly filter: Uint8Array | null;
}

/** Where the system has it. Before PATH, into whose folders an agent may have planted something. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];
const PATIENCE_MS = 10_000;

/**
 * Finds bwrap and lets it make a sandbox, with all it knows and, where that fails, without a filter of system calls or
 * without namespaces being forbidden inside.
 *
 * @returns its complaint where it cannot; null where there is none
 */
export async function findBwrap(
  path: string | undefined,
  root: string,
  systemFolders = SYSTEM_FOLDERS,
): Promise<Bwrap | { readonly complaint: string } | null> {
  const others = (path ?? '').split(':').filter((folder) => folder.startsWith('/') && !isWithin(folder, root));
  const file = await findFile('bwrap', '/', [...systemFolders, ...others].join(':'));
  if (file === null) return null;
  const [{ output: help }, { output: named }] = await Promise.all([run(file, ['--help']), run(file, ['--version'])]);
  const size = help.includes('--size ');
  const version = /\d[\d.]*/.exec(named)?.[0] ?? '?';
  const usual = seccompFilter(process.arch);
  let complaint = '';
  for (const disableUserns of help.includes('--disable-userns') ? [true, false] : [false]) {
    for (const filter of usual === null ? [null] : [usual, null]) {
      const { worked, output } = await makeSandbox(file, disableUserns, filter);
      if (worked) return { file, version, disableUserns, size, filter };
      complaint ||= output.trim().split('\n')[0] || 'no answer';
    }
  }
  return { complaint };
}

interface Answer {
  readonly worked: boolean;
  readonly output: string;
}

function makeSandbox(file: string, disableUserns: boolean, filter: Uint8Array | null): Promise<Answer> {
  const view = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  const args = [...namespaceArguments({ disableUserns }), ...(filter === null ? [] : ['--seccomp', '0']), ...view];
  return run(file, [...args, '--', '/bin/true'], filter);
}

async function run(file: string, args: readonly string[], input: Uint8Array | null = null): Promise<Answer> {
  try {
    const options = { cwd: '/', env: { LC_ALL: 'C' }, timeoutMs: PATIENCE_MS, ...(input === null ? {} : { input }) };
    const { exitCode, stdout, stderr } = await runCommand(file, args, options);
    return { worked: exitCode === 0, output: `${stdout}${stderr}` };
  } catch (error) {
    if (error instanceof SpawnFailed) return { worked: false, output: error.message };
    throw error;
  }
}
