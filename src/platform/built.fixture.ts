import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** A fixture program (`x.fixture.ts`), bundled once so that tests can start many quickly. */
export interface Program {
  start(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcessByStdio<Writable, Readable, null>;
  dispose(): Promise<void>;
}

export async function buildProgram(fixture: URL): Promise<Program> {
  const dir = await tempDir();
  const file = join(dir, 'program.mjs');
  await build({
    input: fileURLToPath(fixture),
    platform: 'node',
    external: ['fs-native-extensions'],
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'silent',
  });
  await symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(dir, 'node_modules'));
  return {
    start: (args, env = {}) =>
      spawn(process.execPath, [file, ...args], { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] }),
    dispose: () => rm(dir, { recursive: true }),
  };
}

export function tempDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'ralph-platform-'));
}

/** Resolves with the first line a program prints. */
export async function firstLine(program: { readonly stdout: Readable }): Promise<string> {
  let text = '';
  for await (const chunk of program.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}

/** How a program ended, also where it had ended before. */
export async function exitOf(program: Pick<ChildProcess, 'exitCode' | 'signalCode' | 'once'>) {
  if (program.exitCode === null && program.signalCode === null) await once(program as ChildProcess, 'exit');
  return { code: program.exitCode, signal: program.signalCode };
}

/** Polls until a condition holds; says which one did not. */
export async function until(what: string, holds: () => boolean, patienceMs = 300_000): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`still not after ${patienceMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Does a process run (a zombie does not)? */
export function isAlive(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readOrEmpty(`/proc/${pid}/stat`) : '';
  return stat !== '' && !/\) [ZX] /.test(stat);
}

export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The pids that a script wrote into a file, one a line, once there are `count` of them. */
export async function pidsIn(file: string, count: number): Promise<number[]> {
  const read = () => readOrEmpty(file).split('\n').filter(Boolean).map(Number);
  await until(`${count} pids in ${file}`, () => read().length >= count);
  return read();
}
