import { runCommand } from '../../platform/index.ts';
import type { HookRunner } from './port.ts';

/** Runs commit hooks as they run where nothing isolates: with the environment that is given here. */
export function directHookRunner(env: NodeJS.ProcessEnv = process.env): HookRunner {
  return async ({ file, args, cwd, env: own }) => {
    const { exitCode, stdout, stderr } = await runCommand(file, args, { cwd, env: { ...env, ...own } });
    return { exitCode, output: Buffer.concat([stdout, stderr]).toString('utf8').trim() };
  };
}
