import type { ChildProcessByStdio } from 'node:child_process';
import type { Socket } from 'node:net';
import { startChild } from './start-child.ts';

/** A program whose input and output are ours. */
export type PipedChild = ChildProcessByStdio<Socket, Socket, Socket> & { readonly pid: number };

/**
 * Starts a program in a session of its own, so that Ctrl-C does not reach it. Its input ends with us, whatever way we
 * end. Rejects with `SpawnFailed`.
 */
export async function startPiped(
  file: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<PipedChild> {
  const child = await startChild<PipedChild>(file, args, { cwd, env, stdio: 'pipe', detached: true });
  child.stdin.on('error', () => {});
  return child;
}

/** From here on it keeps this process alive no longer. */
export function letGo(child: PipedChild): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.unref();
}
