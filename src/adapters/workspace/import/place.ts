import { posix, resolve } from 'node:path';
import { scaffold } from '../backlog/scaffold.ts';
import { readSpecFolder, type SpecFiles } from '../backlog/spec-folder.ts';
import { pathInside } from '../inside.ts';
import { findWorkspace, notTheState, numberOf, prdNumber } from '../layout.ts';
import { ensureStateIgnored } from '../records/state-folder.ts';

export interface PlaceInput {
  /** The git work tree. */
  readonly root: string;
  readonly cwd: string;
  readonly flags: { readonly ralphDir?: string; readonly prd?: string; readonly projectDir?: string };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The spec folder that an import goes to; it need not be there. */
export interface ImportPlace extends SpecFiles {
  readonly specDir: string;
  /** Of `.ralph/PRD-N`. */
  readonly prdNumber: number | null;
  /** What {@link makePlace} has to make: a whole spec folder, the state folder alone, or nothing. */
  readonly missing: 'folder' | 'state' | 'nothing';
}

/**
 * Finds where an import goes; nothing is made.
 * @throws UsageError for a folder outside of the work tree, or when it would be a guess between several
 */
export async function findPlace(input: PlaceInput): Promise<ImportPlace> {
  const { root, cwd, flags, env } = input;
  // Variables that name a plan mean what a run works on, not where an import goes.
  const find = () => findWorkspace({ root, cwd, flags, env: { RALPH_ROOT: env['RALPH_ROOT'] } });
  if (flags.ralphDir !== undefined) {
    if (flags.prd !== undefined) await find();
    return absent(root, notTheState(await pathInside(root, resolve(cwd, flags.ralphDir), 'the spec folder')), 'state');
  }
  const wanted = flags.prd === undefined ? null : prdNumber(flags.prd, '--prd');
  const there = await find().catch(() => null);
  if (there !== null && there.kind !== 'classic') {
    if (there.backlog !== null) return { ...there, missing: 'nothing' };
    if (there.specDir !== 'ralph' && there.kind !== 'prd') return { ...there, missing: 'state' };
  }
  return absent(root, folderFor(wanted ?? there?.prdNumber ?? null), 'folder');
}

function folderFor(prd: number | null): string {
  return prd === null ? 'ralph' : `.ralph/PRD-${prd}`;
}

async function absent(root: string, specDir: string, missing: ImportPlace['missing']): Promise<ImportPlace> {
  await pathInside(root, posix.join(root, specDir), 'the spec folder');
  const number = numberOf(specDir);
  const { isSpec: _, ...files } = await readSpecFolder(root, specDir, number !== null);
  return { ...files, specDir, prdNumber: number, missing };
}

/** The files that {@link makePlace} may write, relative to the root. */
export function filesOfPlace({ specDir, prdPath, progressPath, promptPath, missing }: ImportPlace): readonly string[] {
  if (missing === 'nothing') return [];
  const state = '.ralph/.gitignore';
  return missing === 'state' ? [state] : [state, prdPath, progressPath, promptPath, posix.join(specDir, 'tasks.json')];
}

/** Makes what is missing, as `ralph init` does. Returns the files that were made. */
export async function makePlace(root: string, { prdNumber: prd, missing }: ImportPlace): Promise<readonly string[]> {
  if (missing === 'nothing') return [];
  if (missing === 'state') return (await ensureStateIgnored(root)) ? ['.ralph/.gitignore'] : [];
  const made = await scaffold({
    root,
    layout: prd === null ? 'ralph' : 'prd',
    force: false,
    ...(prd === null ? {} : { prd }),
  });
  return made.created;
}
