import { homedir, tmpdir } from 'node:os';
import { readStandardInput } from '../../platform/process/standard-input.ts';
import { knowEnvironment } from '../../platform/secrets.ts';
import type { ParseOptions } from '../../rules/hooks/wire.ts';
import { answerHook } from './answer-hook.ts';

/** More than any client sends: a tool's whole output is in it. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Less than the client waits for us. */
const PATIENCE_MS = 5_000;

/**
 * One hook call from standard input to the text for standard output, in the process it was started in. Never rejects.
 * Silent where the run's control server decides: the client asks that as well, and nothing is decided twice.
 */
export async function runHook(
  options: ParseOptions,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<string> {
  if (env['RALPH_CONTROL_URL']) return '';
  knowEnvironment(env);
  const input = await readStandardInput(MOST_BYTES, PATIENCE_MS);
  return answerHook(input, options, { env, cwd, home: env['HOME'] || homedir(), temp: tmpdir(), now: Date.now() });
}
