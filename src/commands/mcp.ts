import { remoteToolbox } from '../surfaces/server/remote-tools.ts';
import { serveToolsOverStdio } from '../surfaces/server/stdio.ts';
import type { Toolbox } from '../surfaces/server/toolbox.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import type { RawFlags } from './shared/flags.ts';

/**
 * `ralph mcp`: the tools of the run it is started in, by way of its spool (`RALPH_SPOOL`) or its server, else what can
 * be read from the files. Reads the process's own input and output, as an MCP client starts it; they end it.
 */
export async function mcp(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const onError = (message: string) => void io.stderr.write(`ralph mcp: ${message}\n`);
  const toolbox =
    (await toolsOfSpool(io.env)) ?? (await toolsOfRun(io.env, onError)) ?? (await toolsOfFiles(flags, io));
  await serveToolsOverStdio(toolbox, { stdin: process.stdin, stdout: process.stdout, onError });
  return 0;
}

/** Null where the run's server can be reached, and outside a run. Loaded only here: it is rarely needed. */
async function toolsOfSpool(env: Io['env']): Promise<Toolbox | null> {
  const dir = env['RALPH_SPOOL'];
  return dir ? (await import('../surfaces/server/spool-tools.ts')).spoolToolbox(dir) : null;
}

/** Null outside a run, and when the run of the environment is over. */
async function toolsOfRun(env: Io['env'], onError: (message: string) => void): Promise<Toolbox | null> {
  const url = env['RALPH_CONTROL_URL'];
  const token = env['RALPH_CONTROL_TOKEN'];
  if (!url || !token) return null;
  try {
    return await remoteToolbox(url, token);
  } catch (error) {
    onError(`${error instanceof Error ? error.message : String(error)}; only what the files say can be asked`);
    return null;
  }
}

/** Loaded only here: inside a run all of it works in the run's process. */
async function toolsOfFiles(flags: RawFlags, io: Io): Promise<Toolbox> {
  const [{ offlineDesk }, { openWorkspace }] = await Promise.all([
    import('../loop/desk/offline.ts'),
    import('./shared/open.ts'),
  ]);
  return offlineDesk(await openWorkspace(flags, io));
}
