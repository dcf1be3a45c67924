import { runCommand, SpawnFailed } from '../../../platform/process/run-command.ts';

export type EngineName = 'podman' | 'docker';

/** A container engine that is there, and what it can do on this machine. */
export interface Engine {
  readonly name: EngineName;
  readonly version: string;
  /** Before the verb: `--runtime runc`. */
  readonly global: readonly string[];
  /** Added to `run` because this machine needs it. */
  readonly run: readonly string[];
  /**
   * Flags of `run` for pipes. Podman hands them to the container itself where it can, so that nothing is lost when its
   * client ends before the container does. Nobody keeps what is printed: agents' output is the loop's.
   */
  readonly piped: readonly string[];
  /** Its root is the person who started it: user 0 inside is that person outside. */
  readonly rootless: boolean;
  /** It maps users to others by default, which has to be switched off for files to keep their owner. */
  readonly remapsUsers: boolean;
  /** File with the system calls that it allows, where it tells; Docker keeps its list to itself. */
  readonly seccompProfile: string | null;
  /** Which limits it can hold. */
  readonly limits: EngineLimits;
}

export interface EngineLimits {
  readonly memory: boolean;
  readonly processes: boolean;
  readonly cpus: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What an engine's client said. */
export interface Answer {
  /** Null when it was not started, or ended by us because it took too long. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Its last lines on standard error, or why it was not started. */
  readonly complaint: string;
}

/** A daemon that hangs must not hang us. */
const PATIENCE_MS = 30_000;
/** Kept of each stream; `info` is some 10 kB. */
const MAX_BYTES = 1024 * 1024;

/** Runs the engine's client to its end. Never throws for a client that is missing, fails or takes too long. */
export async function askEngine(
  engine: { readonly name: EngineName; readonly global: readonly string[] },
  args: readonly string[],
  { env, input, timeoutMs = PATIENCE_MS }: AskOptions,
): Promise<Answer> {
  const options = { cwd: '/', env, timeoutMs, maxBytes: MAX_BYTES, ...(input === undefined ? {} : { input }) };
  try {
    const result = await runCommand(engine.name, [...engine.global, ...args], options);
    const said = result.stderr.toString('utf8').trim();
    const seconds = Math.round(timeoutMs / 1000);
    return {
      exitCode: result.timedOut ? null : result.exitCode,
      stdout: result.stdout.toString('utf8'),
      complaint: result.timedOut ? `no answer within ${seconds} s` : lastLines(said),
    };
  } catch (error) {
    if (!(error instanceof SpawnFailed)) throw error;
    return { exitCode: null, stdout: '', complaint: error.code === 'ENOENT' ? 'not installed' : error.message };
  }
}

export interface AskOptions {
  /** The person's own: PATH, HOME, DOCKER_HOST and the like. */
  readonly env: Environment;
  readonly input?: Uint8Array;
  readonly timeoutMs?: number;
}

/** Who runs this program. */
export function currentUser(): { readonly uid: number; readonly gid: number } {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

function lastLines(text: string): string {
  return text.split('\n').slice(-3).join(' ').slice(-600);
}

/** An engine that works, or why it does not. */
export type Found = Engine | { readonly name: EngineName; readonly version: string; readonly why: string };
