import type { TamperFinding } from '../../contracts/model.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { decodeText } from '../../rules/backlog/formats/decode.ts';
import { findTampering } from '../../rules/verdict/tampering/find-tampering.ts';
import type { RunContext } from '../context.ts';
import type { Ended } from './ended.ts';

/** Files looked at, and bytes of one: a diff beyond that is generated, and a reviewer will see it anyway. */
const MAX_FILES = 300;
const MAX_BYTES = 128 * 1024;

/** Tests and checks that the iteration's work weakened. */
export async function tamperingIn(
  { git }: RunContext,
  { checkpoint, after }: Ended,
  work: readonly string[],
): Promise<readonly TamperFinding[]> {
  const own = new Set(work);
  const changed = after.changed.filter(({ path }) => own.has(path)).slice(0, MAX_FILES);
  const changes = await Promise.all(
    changed.map(async ({ path, status }) => ({
      path,
      before: status === 'added' ? null : textOf(await git.show(checkpoint.tree, path), path),
      after: status === 'deleted' ? null : textOf((await readInside(git.repo.root, path, MAX_BYTES)).bytes, path),
    })),
  );
  return findTampering(changes);
}

function textOf(bytes: Uint8Array | null, path: string): string | null {
  if (bytes === null || bytes.length > MAX_BYTES) return null;
  const decoded = decodeText(bytes, path);
  return 'text' in decoded ? decoded.text : null;
}
