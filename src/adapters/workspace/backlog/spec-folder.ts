import { posix } from 'node:path';
import { type BacklogFormat, UsageError } from '../../../contracts/index.ts';
import { list } from '../../../platform/index.ts';

export interface BacklogFile {
  readonly path: string;
  readonly format: BacklogFormat;
}

/** The files of a spec folder; paths relative to the work tree. Only the backlog is known to exist. */
export interface SpecFiles {
  readonly backlog: BacklogFile | null;
  readonly prdPath: string;
  readonly progressPath: string;
  readonly promptPath: string;
  readonly reviewsPath: string;
}

/** The first match wins; names in one row have equal precedence, so with two of them a person must choose. */
const BACKLOGS: readonly { readonly names: readonly string[]; readonly format: BacklogFormat }[] = [
  { names: ['tasks.json'], format: 'tasks-json' },
  { names: ['prd.json'], format: 'prd-json' },
  { names: ['plan.md'], format: 'markdown' },
  { names: ['@fix_plan.md', 'fix_plan.md'], format: 'markdown' },
];

/** What marks a folder as a spec folder besides a backlog. A mere `ralph/` may contain a user's source code. */
const SPEC_MARKS = ['prd.md', 'prompt.md', 'PROMPT.md'];

/**
 * Reads a folder's spec files.
 * @param folder relative to `root`, `.` for the root itself
 * @param numbered `.ralph/PRD-N` folders keep their log in `progress.md`
 * @param chosen the backlog, when the user named one
 * @returns the files, and whether any of them makes this a spec folder
 * @throws UsageError for two backlogs of equal precedence.
 */
export async function readSpecFolder(
  root: string,
  folder: string,
  numbered: boolean,
  chosen: BacklogFile | null = null,
): Promise<SpecFiles & { readonly isSpec: boolean }> {
  const names = new Set(await list(posix.join(root, folder)));
  const backlog = chosen ?? backlogIn(folder, names);
  const at = (wanted: string, other: string) =>
    posix.join(folder, !names.has(wanted) && names.has(other) ? other : wanted);
  return {
    isSpec: backlog !== null || SPEC_MARKS.some((name) => names.has(name)),
    backlog,
    prdPath: at('prd.md', 'PRD.md'),
    progressPath: numbered ? at('progress.md', 'progress.txt') : at('progress.txt', 'progress.md'),
    promptPath: at('prompt.md', 'PROMPT.md'),
    reviewsPath: posix.join(folder, 'reviews.json'),
  };
}

/** The format that a backlog's name implies; null when it is not the name of a backlog. */
export function formatOf(path: string): BacklogFormat | null {
  const name = posix.basename(path).toLowerCase();
  if (name === 'tasks.json') return 'tasks-json';
  if (name.endsWith('.json')) return 'prd-json';
  return name.endsWith('.md') ? 'markdown' : null;
}

function backlogIn(folder: string, names: ReadonlySet<string>): BacklogFile | null {
  for (const { names: candidates, format } of BACKLOGS) {
    const found = candidates.filter((name) => names.has(name)).map((name) => posix.join(folder, name));
    if (found.length > 1) {
      throw new UsageError({
        what: `two backlogs of equal precedence: ${found.join(' and ')}`,
        where: folder,
        mend: ['keep one of them', `PLAN_PATH=${found[0]} chooses one`],
      });
    }
    if (found[0] !== undefined) return { path: found[0], format };
  }
  return null;
}
