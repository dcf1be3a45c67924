import { StateError } from '../../../contracts/errors.ts';
import { copy, exists, readBytes, readText, remove, stat } from '../../../platform/files/files.ts';
import { moveSync } from '../../../platform/files/files-sync.ts';
import { writePrivate } from '../../../platform/files/private.ts';

/** What a versioned JSON state file must be. */
export interface StateFileKind {
  /** For messages: `journal`, `run record`. */
  readonly name: string;
  /** The version this program writes. */
  readonly version: number;
  /** Name of the first field that is missing or of the wrong type, null when all is well. */
  readonly wrongField: (value: Readonly<Record<string, unknown>>) => string | null;
  /** What a person does once the unreadable file is out of the way. */
  readonly mend: string;
}

/**
 * Reads a versioned JSON file; null when there is none.
 * @throws StateError when it cannot be used. A damaged file is moved to `<file>.bad-<n>` first, so that nothing is
 * lost and the next start is not stopped by it again; a file of a later version stays where it is.
 */
export async function readStateFile(path: string, kind: StateFileKind): Promise<Record<string, unknown> | null> {
  const text = await readText(path);
  if (text === null) return null;
  const value = parseObject(text);
  if (value === null)
    throw await damaged(path, kind, text.trim() === '' ? 'it is empty' : 'it is not a whole JSON object');
  refuseLaterVersion(path, kind, value['version']);
  if (value['version'] !== kind.version) throw await damaged(path, kind, "its 'version' is missing or wrong");
  const field = kind.wrongField(value);
  if (field !== null) throw await damaged(path, kind, `its '${field}' is missing or of the wrong type`);
  return value;
}

/**
 * Makes a state file hold `wanted` again (null: there was none). What is there instead, if anything, is kept as
 * `<file>.bad-<n>`.
 * @returns whether it was otherwise
 */
export async function putBackStateFile(path: string, wanted: Uint8Array | null): Promise<boolean> {
  const there = await stat(path);
  if (there === null && wanted === null) return false;
  if (there?.kind === 'file' && wanted !== null) {
    const found = await readBytes(path);
    if (found !== null && Buffer.compare(found, wanted) === 0) return false;
  }
  // A folder, a link or a FIFO cannot be copied, or not without following it.
  if (there !== null && there.kind !== 'file') moveSync(path, await nameAside(path));
  else if (there !== null) await copy(path, await nameAside(path));
  if (wanted === null) await remove(path);
  else await writePrivate(path, wanted);
  return true;
}

/** @throws StateError when `version` is one that only a later ralph understands. */
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
    mend: ['update ralph, then start again'],
  });
}

/** Checks fields by the type each should have; `?` in front of a type allows null as well. */
export function wrongField(
  value: Readonly<Record<string, unknown>>,
  types: Readonly<Record<string, string>>,
): string | null {
  for (const [field, type] of Object.entries(types)) {
    const found = value[field];
    const nullable = type.startsWith('?');
    if (nullable && found === null) continue;
    const wanted = nullable ? type.slice(1) : type;
    const ok = wanted === 'array' ? Array.isArray(found) : typeof found === wanted && found !== null;
    // JSON can write numbers (1e999) that only infinity holds: no sum and no moment can be made of it.
    if (!ok || (wanted === 'number' && !Number.isFinite(found))) return field;
  }
  return null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

async function damaged(path: string, kind: StateFileKind, why: string): Promise<StateError> {
  const kept = await setAside(path);
  return new StateError({
    what: `the ${kind.name} cannot be read`,
    where: path,
    why: `${why}; it is kept as ${kept}`,
    mend: [kind.mend],
  });
}

/** Copy first, remove afterwards: a crash in between leaves both. */
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
