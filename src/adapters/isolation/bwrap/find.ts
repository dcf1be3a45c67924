import { runCommand, SpawnFailed } from '../../../platform/run-command.ts';
import { isWithin } from '../view/paths.ts';
import { findFile } from '../view/programs.ts';
import { type Abilities, namespaceArguments } from './render.ts';

/** A bwrap that makes sandboxes here. */
export interface Bwrap extends Abilities {
  readonly file: string;
  /** `0.8.0`. */
  readonly version: string;
}

/** Where the system has it. Before PATH, into whose folders an agent may have planted something. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];
const PATIENCE_MS = 10_000;

/**
 * Finds bwrap and lets it make a sandbox, with all it knows and, where that fails, without namespaces being forbidden
 * inside.
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
  let complaint = '';
  for (const disableUserns of help.includes('--disable-userns') ? [true, false] : [false]) {
    const trial = [...namespaceArguments({ disableUserns }), '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
    const { worked, output } = await run(file, [...trial, '--', '/bin/true']);
    if (worked) return { file, version, disableUserns, size };
    complaint ||= output.trim().split('\n')[0] || 'no answer';
  }
  return { complaint };
}

async function run(file: string, args: readonly string[]): Promise<{ worked: boolean; output: string }> {
  try {
    const options = { cwd: '/', env: { LC_ALL: 'C' }, timeoutMs: PATIENCE_MS };
    const { exitCode, stdout, stderr } = await runCommand(file, args, options);
    return { worked: exitCode === 0, output: `${stdout}${stderr}` };
  } catch (error) {
    if (error instanceof SpawnFailed) return { worked: false, output: error.message };
    throw error;
  }
}
