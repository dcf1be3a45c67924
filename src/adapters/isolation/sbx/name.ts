import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** Characters of the folder's own name that are kept: it is there to be recognised in `sbx ls`. */
const SLUG_LENGTH = 24;

/**
 * Name of the sandbox of a work tree, the same every time: `ralph-<folder>-<hash of its path>`. Letters, digits and `-`
 * only; sbx also takes `.` and `+`, and no underscore.
 */
export function sbxName(root: string): string {
  const slug = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 8);
  return ['ralph', ...(slug === '' ? [] : [slug]), hash].join('-');
}
