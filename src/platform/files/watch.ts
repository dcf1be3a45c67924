import { type FSWatcher, watch } from 'node:fs';

export interface Watcher {
  close(): void;
}

/**
 * Calls `onChange` soon after something in a folder changed. Only a hint: where the system cannot watch, or the folder
 * is gone or not there yet, nothing comes; callers look now and then by themselves. Keeps no process alive.
 */
export function watchFolder(path: string, onChange: () => void): Watcher {
  try {
    const watcher: FSWatcher = watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return { close: () => {} };
  }
}
