import { messageOf } from '../contracts/index.ts';
import { remoteToolbox, serveToolsOverStdio, type Toolbox } from '../surfaces/server/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import type { RawFlags } from './shared/flags.ts';

/**
 * `ralph mcp`: the tools of the run it is started in, through its spool (`RALPH_SPOOL`) or its server; else what the
 * files provide. Uses the process's own input and output, as an MCP client starts it; it ends when they end.
 */
export async function mcp(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const onError = (message: string) => void io.stderr.write(`ralph mcp: ${message}\n`);
  const toolbox =
    (await toolsOfSpool(io.env)) ?? (await toolsOfRun(io.env, onError)) ?? (await toolsOfFiles(flags, io));
  await serveToolsOverStdio(toolbox, { stdin: process.stdin, stdout: process.stdout, onError });
  return 0;
}

/** null where the run's server can be reached, and outside a run. Loaded only here: it is rarely needed. */
async function toolsOfSpool(env: Io['env']): Promise<Toolbox | null> {
  const dir = env['RALPH_SPOOL'];
  return dir ? (await import('../surfaces/server/spool-tools.ts')).spoolToolbox(dir) : null;
}

/** null outside a run, and when the run named by the environment has ended. */
async function toolsOfRun(env: Io['env'], onError: (message: string) => void): Promise<Toolbox | null> {
  const url = env['RALPH_CONTROL_URL'];
  const token = env['RALPH_CONTROL_TOKEN'];
  if (!url || !token) return null;
  try {
    return await remoteToolbox(url, token);
  } catch (error) {
    onError(`${messageOf(error)}; only answers from files are available`);
    return null;
  }
}

/** Loaded only here: inside a run these tools work in the run's process. */
async function toolsOfFiles(flags: RawFlags, io: Io): Promise<Toolbox> {
  const [{ offlineTools }, { openWorkspace }] = await Promise.all([
    import('../loop/session/offline.ts'),
    import('./shared/open.ts'),
  ]);
  return offlineTools(await openWorkspace(flags, io));
}
