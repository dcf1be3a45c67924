import { writePrivate } from '../../../platform/files/private.ts';
import { readStateFile, type StateFileKind, wrongField } from '../records/state-file.ts';

export const STREAM_FILE_VERSION = 1;

/** What makes a work tree that of a stream; beside its run record, in the state folder of its own git dir. */
export interface StreamFile {
  readonly version: typeof STREAM_FILE_VERSION;
  /** Its name: `PRD-3`, or the workspace's. */
  readonly stream: string;
  /** Relative to the work tree. */
  readonly specDir: string;
  /** The branch it works on. */
  readonly branch: string;
  /** Where the branch began, and will be merged into: the branch that was checked out then (null: none), and its commit. */
  readonly base: { readonly branch: string | null; readonly commit: string };
  /** What the configuration copies there is there, and the commands that set it up have ended well. */
  readonly prepared: boolean;
  /** Epoch ms. */
  readonly createdAt: number;
}

const KIND: StateFileKind = {
  name: 'stream file',
  version: STREAM_FILE_VERSION,
  wrongField: (value) =>
    wrongField(value, {
      stream: 'string',
      specDir: 'string',
      branch: 'string',
      base: 'object',
      prepared: 'boolean',
      createdAt: 'number',
    }) ?? wrongBase(value['base'] as Record<string, unknown>),
  mend: '`ralph stream start` writes it anew; the branch, its commits and the ledger are untouched',
};

/**
 * What the state folder of a work tree says of its stream; null when it is none's.
 * @throws StateError when it is unreadable (the original is kept aside) or of a later version.
 */
export async function readStreamFile(stateDir: string): Promise<StreamFile | null> {
  return (await readStateFile(pathIn(stateDir), KIND)) as StreamFile | null;
}

/** Replaces it, atomically and fsynced. */
export async function writeStreamFile(stateDir: string, file: StreamFile): Promise<void> {
  await writePrivate(pathIn(stateDir), `${JSON.stringify(file)}\n`);
}

function pathIn(stateDir: string): string {
  return `${stateDir}/stream.json`;
}

function wrongBase(base: Record<string, unknown>): string | null {
  const wrong = wrongField(base, { branch: '?string', commit: 'string' });
  return wrong === null ? null : `base.${wrong}`;
}
