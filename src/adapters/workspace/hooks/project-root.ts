import { dirname, resolve } from 'node:path';
import { isThereSync, realPathSync } from '../../../platform/files/files-sync.ts';

/** The work tree that a folder lies in (`.git` is a file in linked ones); the folder itself where there is none. */
export function projectRoot(folder: string): string {
  const start = realPathSync(resolve(folder.replaceAll('\0', '')));
  // No folder has such a name, and looking above it would take as many looks as it has parts.
  if (start.length > 4096) return '/';
  for (let at = start; ; at = dirname(at)) {
    if (isThereSync(`${at}/.git`)) return at;
    if (at === dirname(at)) return start;
  }
}
