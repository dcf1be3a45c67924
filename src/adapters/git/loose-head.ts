import { readText, stat } from '../../platform/files/files.ts';
import type { Repo } from './port.ts';

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/;
/** Ordinary names only: git looks closer at others, and nothing of them leads out of the folder. */
const ON_BRANCH = /^ref: (refs\/heads\/[\w-][\w.+@-]*(?:\/[\w-][\w.+@-]*)*)\n$/;

/**
 * HEAD and its branch as their files have them, without starting git. A branch's own file wins over all other places
 * that git keeps values in.
 * @returns null where only git can tell: a packed, symbolic or unborn branch, another way of storing refs
 */
export async function looseHead({
  gitDir,
  commonDir,
}: Pick<Repo, 'gitDir' | 'commonDir'>): Promise<{ readonly commit: string; readonly branch: string | null } | null> {
  const head = (await readOwn(`${gitDir}/HEAD`)) ?? '';
  const [, detached] = COMMIT.exec(head) ?? [];
  if (detached !== undefined) return { commit: detached, branch: null };
  const [, branch] = ON_BRANCH.exec(head) ?? [];
  if (branch === undefined || branch.includes('..')) return null;
  const [, commit] = COMMIT.exec((await readOwn(`${commonDir}/${branch}`)) ?? '') ?? [];
  return commit === undefined ? null : { commit, branch };
}

/** A link would be a symbolic ref of old. */
async function readOwn(path: string): Promise<string | null> {
  return (await stat(path).catch(() => null))?.kind === 'file' ? readText(path) : null;
}
