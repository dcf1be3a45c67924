import { agentLogPath } from '../../adapters/workspace/paths.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { childExit } from '../../platform/process/child-exit.ts';
import { findProgram } from '../../platform/process/find-program.ts';
import { startChild } from '../../platform/process/start-child.ts';
import { safeLines } from '../terminal/sanitise.ts';

/** More than that nobody reads in a pager. */
const MOST_BYTES = 64 * 1024 * 1024;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Shows everything the agent of an iteration printed in the person's pager, without what could act on the terminal.
 * The pager reads its standard input: it needs no file, and none can be exchanged under it.
 * @returns what went wrong, in words; null when it was shown
 */
export async function pageAgentLog(root: string, run: string, iteration: number, env: Env): Promise<string | null> {
  const path = agentLogPath(run, iteration);
  const found = await readInside(root, path, MOST_BYTES);
  if (found.bytes === null)
    return `${path} ${found.why ?? 'is not there: the agent printed nothing, or old runs were removed'}`;
  return pageLines(safeLines(found.bytes.toString('utf8')), root, env);
}

/**
 * Shows lines, which must be safe, in the person's pager.
 * @returns what went wrong, in words; null when they were shown
 */
export async function pageLines(lines: readonly string[], root: string, env: Env): Promise<string | null> {
  const [file, ...args] = pagerCommand(env);
  if (file === undefined) return 'no pager was found: set PAGER';
  const child = await startChild(file, args, { cwd: root, env: { ...env }, stdio: ['pipe', 'inherit', 'inherit'] });
  // A pager that is left before its end closes its input: that is no error.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(`${lines.join('\n')}\n`);
  const { exitCode } = await childExit(child);
  return exitCode === 127 ? `the pager cannot be started: ${env['PAGER']}` : null;
}

/** `PAGER` is a command line for the shell, as for man and git. */
function pagerCommand(env: Env): readonly string[] {
  const named = env['PAGER'];
  if (named) return ['sh', '-c', named];
  const found = ['less', 'more'].map((name) => findProgram(name, env['PATH'])).find((path) => path !== null);
  return found === undefined ? [] : [found];
}
