import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { childExit, type Exit } from './child-exit.ts';
import { membersOf } from './family.ts';
import { startInLineage } from './lineage.ts';
import { MARKER_VARIABLE, type ProcessEntry, readProcessTable } from './process-table.ts';
import { killFamily } from './tree-kill.ts';
import { startWarden } from './warden.ts';

export interface SuperviseInput {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Complete; RALPH_RUN_ID and RALPH_WARDEN are added. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly stdin: string;
  /** Names this process and all it starts, and nothing else that runs: everything with it ends in `stop`. */
  readonly marker: string;
  /** A folder of it, removed should our own process die; else that is the caller's to do. */
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
   * Ends the whole tree: SIGTERM, `graceMs` to comply, SIGKILL. Resolves when nothing of it is left. To be called in
   * any case, also after `exited`: a process that ended well may have left others behind. A second call may hurry the
   * first with a shorter grace.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a long-running program under a warden: should this process die, by kill -9 even, the program and whatever it
 * started end within about two seconds. Throws {@link SpawnFailed} when it does not start.
 */
export async function supervise(input: SuperviseInput): Promise<Supervised> {
  const warden = await startWarden(input.marker, input.scratch);
  const { lineage } = warden;
  const child = await startInLineage<ChildProcessWithoutNullStreams>(lineage, input.file, input.args, {
    cwd: input.cwd,
    env: { ...input.env, ...warden.env, [MARKER_VARIABLE]: input.marker },
    stdio: 'pipe',
    // A session of its own, so that Ctrl-C reaches the loop only and the whole session can be found later.
    detached: true,
  }).catch((error: unknown) => {
    warden.release();
    throw error;
  });
  warden.watch(child.pid);

  let root: number | undefined = child.pid;
  let leftovers: Promise<readonly ProcessEntry[]> | null = null;
  child.once('exit', () => {
    // Its session tells now, and only now, who was left without a marker: the pid is free for others from here on.
    const family = { root: child.pid, marker: input.marker, lineage };
    leftovers = readProcessTable().then((table) => membersOf(family, table, process.pid));
    root = undefined;
    warden.watch(null);
  });
  child.stdout.on('data', input.onStdout);
  child.stderr.on('data', input.onStderr);
  const exited = childExit(child);
  // A program that does not read its input closes the pipe early: its right.
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
