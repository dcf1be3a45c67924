import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** How a process ended: exactly one of the two is set. */
export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Looks at the pipes after the exit: so many in a row without news, and at most so many, this far apart. */
const QUIET_LOOKS = 5;
const MAX_LOOKS = 40;
const LOOK_EVERY_MS = 50;

/**
 * Resolves when a process has ended and its output has been read. Not on `close` alone: a grandchild that keeps the
 * pipes open would hold that for ever. After the exit the pipes are drained until they end or stay silent for
 * 250 ms (2 s at most, should the grandchild chatter), then closed on our side.
 */
export function childExit(child: ChildProcess): Promise<Exit> {
  const pipes = [child.stdout, child.stderr].filter((pipe) => pipe !== null);
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => {
      void drain(pipes).then(() => resolve({ exitCode, signal }));
    });
  });
}

async function drain(pipes: readonly Readable[]): Promise<void> {
  const open = pipes.filter((pipe) => !pipe.closed);
  if (open.length === 0) return;
  await new Promise<void>((resolve) => {
    let news = false;
    let quiet = 0;
    let looks = 0;
    const notice = () => {
      news = true;
    };
    const finish = () => {
      clearInterval(timer);
      for (const pipe of open) pipe.off('data', notice).destroy();
      resolve();
    };
    // Counted looks rather than one deadline: if this process itself was busy for long, unread output would look
    // late, though it only waits for the event loop to come round.
    const timer = setInterval(() => {
      looks += 1;
      quiet = news ? 0 : quiet + 1;
      news = false;
      if (quiet >= QUIET_LOOKS || looks >= MAX_LOOKS) finish();
    }, LOOK_EVERY_MS);
    let left = open.length;
    for (const pipe of open) {
      pipe.on('data', notice);
      pipe.once('close', () => {
        left -= 1;
        if (left === 0) finish();
      });
    }
  });
}
