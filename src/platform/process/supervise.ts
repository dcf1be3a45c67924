import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { startInLineage } from './lineage.ts';
import { MARKER_VARIABLE, membersOf, type ProcessEntry, readProcessTable } from './process-table.ts';
import { childExit, type Exit } from './start-child.ts';
import { killFamily } from './tree-kill.ts';
import { startWarden } from './warden.ts';

export interface SuperviseInput {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Complete environment; RALPH_RUN_ID and RALPH_WARDEN are added. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly stdin: string;
  /** Identifies this process and all it starts, and no other running process: `stop` ends everything with it. */
  readonly marker: string;
  /** A folder of the program, removed if this process dies; otherwise the caller removes it. */
  readonly scratch?: string;
  /** Must not throw. */
  onStdout(chunk: Buffer): void;
  /** Must not throw. */
  onStderr(chunk: Buffer): void;
}

export interface Supervised {
  readonly pid: number;
  /** How it ended, once all its output was handed over. Never rejects. */
  readonly exited: Promise<Exit>;
  /**
   * Ends the whole tree: SIGTERM, `graceMs` to comply, SIGKILL. Resolves when no process of it is left. Must be called
   * in every case, even after `exited`: a process that ended normally may have left others behind. A second call may
   * hurry the first with a shorter grace.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a long-running program under a warden: if this process dies, even by kill -9, the program and all that it
 * started end within about two seconds. Throws {@link SpawnFailed} when it does not start.
 */
export async function supervise(input: SuperviseInput): Promise<Supervised> {
  const warden = await startWarden(input.marker, input.scratch);
  const { lineage } = warden;
  const child = await startInLineage<ChildProcessWithoutNullStreams>(lineage, input.file, input.args, {
    cwd: input.cwd,
    env: { ...input.env, ...warden.env, [MARKER_VARIABLE]: input.marker },
    stdio: 'pipe',
    // A separate session, so that Ctrl-C reaches only the loop and the whole session can be found later.
    detached: true,
  }).catch((error: unknown) => {
    warden.release();
    throw error;
  });
  warden.watch(child.pid);

  let root: number | undefined = child.pid;
  let leftovers: Promise<readonly ProcessEntry[]> | null = null;
  child.once('exit', () => {
    // Its session shows now, and only now, which processes are left without a marker: from here on the pid can be
    // reused.
    const family = { root: child.pid, marker: input.marker, lineage };
    leftovers = readProcessTable().then((table) => membersOf(family, table, process.pid));
    root = undefined;
    warden.watch(null);
  });
  child.stdout.on('data', input.onStdout);
  child.stderr.on('data', input.onStderr);
  const exited = childExit(child);
  // A program that does not read its input may close the pipe early.
  child.stdin.on('error', () => {});
  child.stdin.end(input.stdin);

  return {
    pid: child.pid,
    exited,
    stop: async (graceMs) => {
      const family = { marker: input.marker, lineage, ...(root === undefined ? {} : { root }) };
      await killFamily(family, { graceMs }, await leftovers);
      warden.release();
    },
  };
}
