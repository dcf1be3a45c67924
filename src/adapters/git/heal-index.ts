import { writeAtomic } from '../../platform/files/atomic-file.ts';
import { readBytes, remove, stat } from '../../platform/files/files.ts';
import type { Checkpoint } from './port.ts';
import type { Room } from './room.ts';

/** Signature, version and number of entries, and the hash at the end: no index is shorter. */
const SHORTEST = 32;
const SIGNATURE = 'DIRC';
/** Read whole below this; a larger one was written by git or on purpose, and git says what it thinks of it. */
const LOOKED_AT = 4_096;

/**
 * An index that git cannot read stops every command, and an agent that writes one would stop every start: the copy of
 * the checkpoint takes its place. There is nothing in such a file that could be kept.
 */
export async function healIndex({ repo }: Room, checkpoint: Checkpoint): Promise<void> {
  if (checkpoint.sealed) return;
  const path = `${repo.gitDir}/index`;
  const found = await stat(path);
  if (found === null || (found.kind === 'file' && found.size > LOOKED_AT)) return;
  if (found.kind === 'file' && isIndex(await readBytes(path))) return;
  const copy = checkpoint.index === null ? null : await readBytes(checkpoint.index);
  await remove(path);
  if (copy !== null) await writeAtomic(path, copy);
}

function isIndex(bytes: Uint8Array | null): boolean {
  return (
    bytes !== null && bytes.length >= SHORTEST && Buffer.from(bytes.subarray(0, 4)).toString('latin1') === SIGNATURE
  );
}
