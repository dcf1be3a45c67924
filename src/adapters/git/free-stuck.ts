import { runCommand } from '../../platform/process/run-command.ts';

/** Milliseconds after which git may be stuck. It is no limit: a large tree takes its time. */
const LOOK_EVERY_MS = 5_000;
/** Milliseconds that one look may take. */
const LOOK_LIMIT_MS = 60_000;

/** Opening for both ways does not wait, and is a writer for whoever waits for one. */
const FREE = 'for f; do : <>"$f"; rm -f "$f"; done';
const FIND = [
  ...['.', '-name', '.git', '-prune', '-o', '-type', 'p'],
  ...['(', '-name', '.gitignore', '-o', '-name', '.gitattributes', ')', '-exec', 'sh', '-c', FREE, 'sh', '{}', '+'],
];

/**
 * Waits for git's work on a tree. Git reads the files that say what to ignore without looking what they are: where an
 * agent put a FIFO in such a place, it would wait for ever for somebody to write. So whoever takes long is looked after:
 * that FIFO gets a writer who says nothing, and goes. It held nothing that could be lost.
 */
export async function freeStuck<T>(root: string, working: Promise<T>): Promise<T> {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    // What goes wrong here, git will tell; the next look tries again.
    await runCommand('find', FIND, { cwd: root, timeoutMs: LOOK_LIMIT_MS }).catch(() => {});
    isLooking = false;
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  try {
    return await working;
  } finally {
    clearInterval(timer);
  }
}
