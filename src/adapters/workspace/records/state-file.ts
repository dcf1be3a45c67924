import { jsonObject, type Shape, StateError, wrongField } from '../../../contracts/index.ts';
import { copy, exists, moveSync, readBytes, readText, remove, stat, writePrivate } from '../../../platform/index.ts';

/** The requirements of a versioned JSON state file. */
export interface StateFileKind {
  /** For messages: `journal`, `run record`. */
  readonly name: string;
  /** The version this program writes. */
  readonly version: number;
  readonly shape: Shape;
  /** What the user should do once the unreadable file is out of the way. */
  readonly fix: string;
}

/**
 * Reads a versioned JSON file; null when there is none.
 * @throws StateError when it cannot be used. A damaged file is moved to `<file>.bad-<n>` first, so that nothing is lost
 * and it does not stop the next start again; a file of a later version stays in place.
 */
export async function readStateFile(path: string, kind: StateFileKind): Promise<Record<string, unknown> | null> {
  const text = await readText(path);
  if (text === null) return null;
  const value = jsonObject(text);
  if (value === null)
    throw await damaged(path, kind, text.trim() === '' ? 'it is empty' : 'it is not a complete JSON object');
  refuseLaterVersion(path, kind, value['version']);
  if (value['version'] !== kind.version) throw await damaged(path, kind, "its 'version' is missing or wrong");
  const field = wrongField(kind.shape, value);
  if (field !== null) throw await damaged(path, kind, `its '${field}' is missing or of the wrong type`);
  return value;
}

/**
 * Restores a state file to `wanted` (null: there was none). Any other content is kept as `<file>.bad-<n>`.
 * @returns whether it differed
 */
export async function putBackStateFile(path: string, wanted: Uint8Array | null): Promise<boolean> {
  const there = await stat(path);
  if (there === null && wanted === null) return false;
  if (there?.kind === 'file' && wanted !== null) {
    const found = await readBytes(path);
    if (found !== null && Buffer.compare(found, wanted) === 0) return false;
  }
  // A folder, a link or a FIFO cannot be copied, or only by following it.
  if (there !== null && there.kind !== 'file') moveSync(path, await nameAside(path));
  else if (there !== null) await copy(path, await nameAside(path));
  if (wanted === null) await remove(path);
  else await writePrivate(path, wanted);
  return true;
}

/** @throws StateError when only a later ralph understands `version`. */
export function refuseLaterVersion(
  where: string,
  kind: { readonly name: string; readonly version: number },
  version: unknown,
): void {
  if (typeof version !== 'number' || version <= kind.version) return;
  throw new StateError({
    what: `the ${kind.name} was written by a later version of ralph`,
    where,
    why: `it has format version ${version}; this ralph knows up to ${kind.version} and would misread it`,
    fix: ['update ralph, then start again'],
  });
}

async function damaged(path: string, kind: StateFileKind, why: string): Promise<StateError> {
  const kept = await setAside(path);
  return new StateError({
    what: `the ${kind.name} cannot be read`,
    where: path,
    why: `${why}; it is kept as ${kept}`,
    fix: [kind.fix],
  });
}

/** Copies first, removes afterwards: a crash in between leaves both. */
async function setAside(path: string): Promise<string> {
  const aside = await nameAside(path);
  await copy(path, aside);
  await remove(path);
  return aside;
}

async function nameAside(path: string): Promise<string> {
  let n = 1;
  while (await exists(`${path}.bad-${n}`)) n++;
  return `${path}.bad-${n}`;
}
