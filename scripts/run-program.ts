import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';

export interface ProgramEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  /** What it printed, when `capture` was asked for. */
  readonly output: string;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Keeps standard output instead of showing it. */
  readonly capture?: boolean;
}

/**
 * Runs a program to its end, without standard input. The Node that runs a program is also the first `node` that the
 * program finds on its path.
 *
 * @throws when the program cannot be started
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  { cwd, env = process.env, capture = false }: ProgramOptions,
): Promise<ProgramEnd> {
  const isNode = /(^|[\\/])node(\.exe)?$/.test(file);
  const child = spawn(file, args, {
    cwd,
    env: isNode ? { ...env, PATH: `${dirname(file)}${delimiter}${env['PATH'] ?? ''}` } : env,
    stdio: ['ignore', capture ? 'pipe' : 'inherit', 'inherit'],
  });
  const passOn = (): void => {
    child.kill('SIGTERM');
    process.exit(143);
  };
  process.once('SIGTERM', passOn);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [exitCode] = (await once(child, capture ? 'close' : 'exit')) as [number | null];
  process.off('SIGTERM', passOn);
  return { exitCode, output };
}
