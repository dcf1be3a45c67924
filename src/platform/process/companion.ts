import { childExit, letGo, type PipedChild, SpawnFailed, startPiped } from './start-child.ts';
import { killTree } from './tree-kill.ts';

/** Run by a companion once it is ready: reports that, and ends when its input closes, however this process ends. */
const BESIDE_US = ['sh', '-c', 'echo ready; exec cat'];

interface CompanionInput {
  /** A program that does its work for as long as the command in its arguments runs. */
  readonly file: string;
  readonly args: readonly string[];
  /** The PATH in which programs are found. */
  readonly path: string;
  /** How long it may take to get ready, and later to end by itself, milliseconds. */
  readonly patienceMs: number;
}

interface Companion {
  /** Never rejects; safe to call twice. */
  release(): Promise<void>;
}

/**
 * Starts a program that lives beside this process and not a moment longer, even after kill -9. Resolves when it has
 * started its command, which proves that it works; or with its complaint when it does not. Never rejects.
 */
export async function startCompanion(input: CompanionInput): Promise<Companion | { readonly complaint: string }> {
  try {
    return await readyOrNot(await start(input), input.patienceMs);
  } catch (error) {
    if (!(error instanceof SpawnFailed)) throw error;
    return { complaint: error.message };
  }
}

async function start({ file, args, path }: CompanionInput): Promise<PipedChild> {
  // Without the marker of an outer loop, whose sweep would take it for a leftover. In its own session: after Ctrl-C the
  // loop still has to end cleanly.
  const child = await startPiped(file, [...args, ...BESIDE_US], { cwd: '/', env: { PATH: path, LC_ALL: 'C' } });
  letGo(child);
  return child;
}

async function readyOrNot(child: PipedChild, patienceMs: number): Promise<Companion | { readonly complaint: string }> {
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(0, 1_000);
  });
  const ready = new Promise<true>((resolve) => child.stdout.once('data', () => resolve(true)));
  const exited = childExit(child);
  if (await within(patienceMs, Promise.race([ready, exited.then(() => false)]))) {
    return {
      release: async () => {
        child.stdin.end();
        const ended = await within(
          patienceMs,
          exited.then(() => true),
        );
        if (!ended) await killTree(child.pid, { graceMs: 500 });
      },
    };
  }
  if (child.exitCode === null) await killTree(child.pid, { graceMs: 0 });
  return { complaint: complaint.trim().split('\n')[0] || 'no answer' };
}

/** The promise's result, or false when it takes too long. */
async function within(ms: number, promise: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
