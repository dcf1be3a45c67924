import { readText, remove } from '../../../platform/files/files.ts';
import { writePrivate } from '../../../platform/files/private.ts';

/** What an archive is about to do, decided before it changes anything; whoever comes after a crash finishes it. */
export type ArchiveJournal = { readonly version: 1; readonly folder: string } & (
  | { readonly phase: 'copying' }
  | { readonly phase: 'planned'; readonly plan: ArchivePlan }
);

export interface ArchivePlan {
  /** Of the prepared commit, which adds the archive and renews the spec folder. */
  readonly commit: string;
  /** What the branch pointed to, and its full name; null when detached. */
  readonly head: string;
  readonly branch: string | null;
  /** Ids whose history ends here. */
  readonly stories: readonly string[];
  /** Epoch ms. */
  readonly at: number;
  /** Of the spec folder: path → new text, null deletes. */
  readonly files: Readonly<Record<string, string | null>>;
  /** What stood there when it was decided: somebody's later words are not overwritten. */
  readonly before: Readonly<Record<string, string | null>>;
}

const FILE = 'archive.json';

/** The archive that was cut off, if any. One that cannot be read had changed nothing that it alone knows of. */
export async function readArchiveJournal(stateDir: string): Promise<ArchiveJournal | null> {
  try {
    const value = JSON.parse((await readText(`${stateDir}/${FILE}`)) ?? 'null') as ArchiveJournal | null;
    return value?.version === 1 && typeof value.folder === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** Replaces it, atomically and fsynced. */
export async function writeArchiveJournal(stateDir: string, journal: ArchiveJournal): Promise<void> {
  await writePrivate(`${stateDir}/${FILE}`, `${JSON.stringify(journal)}\n`);
}

export async function removeArchiveJournal(stateDir: string): Promise<void> {
  await remove(`${stateDir}/${FILE}`);
}
