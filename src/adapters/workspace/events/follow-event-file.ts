import { type Watcher, watchFolder } from '../../../platform/files/watch.ts';
import { runFolder } from '../paths.ts';
import type { EventFile } from './event-file.ts';

/** However little the system tells of changes, so often is looked. */
const LOOK_EVERY_MS = 1_000;
/** An agent may write thousands of lines a second: so long is gathered what came. */
const GATHER_MS = 30;

/**
 * Calls `onChange` at once, soon after the log changed, and every second: time for another `advance`. The next call
 * waits for the promise of the one before; one that fails is followed by the next all the same. Keeps no process alive.
 */
export function followEventFile(file: EventFile, onChange: () => Promise<unknown> | unknown): Watcher {
  let closed = false;
  let busy = false;
  let asked = false;
  let gathering: NodeJS.Timeout | null = null;
  let watcher = watchRun(file, soon);

  async function look(): Promise<void> {
    asked = true;
    if (busy) return;
    busy = true;
    while (asked && !closed) {
      asked = false;
      try {
        await onChange();
      } catch {
        // What went wrong is for `onChange` to show; the next look may find it mended.
      }
    }
    busy = false;
  }

  function soon(): void {
    if (gathering !== null || closed) return;
    gathering = setTimeout(() => {
      gathering = null;
      void look();
    }, GATHER_MS);
    gathering.unref();
  }

  const timer = setInterval(() => {
    // The folder may have been made, or replaced, since.
    watcher.close();
    watcher = watchRun(file, soon);
    void look();
  }, LOOK_EVERY_MS);
  timer.unref();
  void look();
  return {
    close() {
      closed = true;
      clearInterval(timer);
      if (gathering !== null) clearTimeout(gathering);
      watcher.close();
    },
  };
}

function watchRun({ root, run }: EventFile, onChange: () => void): Watcher {
  return watchFolder(`${root}/${runFolder(run)}`, onChange);
}
