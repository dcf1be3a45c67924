import { resolve } from 'node:path';
import { isThereSync, readTailSync, readTextSync, realPathSync, sizeSync } from '../../../platform/files/files-sync.ts';
import type { PathFacts } from '../../../rules/hooks/api.ts';

/** Look-ups in the real file system, for hook decisions. */
export const pathFacts: PathFacts = {
  resolve: (path, cwd) => slashed(realPathSync(resolve(cwd, withoutNul(path)))),
  exists: (path) => isThereSync(path),
  readText: (path) => readTextSync(path),
  readTail: readTailSync,
  sizeOf: sizeSync,
};

/** No file has one in its name, and Node refuses to look for it. */
function withoutNul(path: string): string {
  return path.replaceAll('\0', '');
}

/** Rules know one separator. */
function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}
