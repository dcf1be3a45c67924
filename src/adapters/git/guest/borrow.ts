import { resolve } from 'node:path';
import { exists, readText, stat, writeAtomic } from '../../../platform/index.ts';
import type { GuestMount } from '../port.ts';
import type { Room } from '../room.ts';
import { BORROWED_INSIDE, type GuestPlace } from './places.ts';

/** git follows nested alternates five levels deep. */
const DEEPEST = 5;

interface Borrowed {
  readonly mounts: readonly GuestMount[];
  /** Text of `objects/info/alternates`. */
  readonly alternates: string;
}

/**
 * The real objects, and those that they are borrowed from in turn, each read-only at a fixed path inside. Lists of
 * alternates are covered: their paths are the host's.
 */
export async function borrowObjects(room: Room, place: GuestPlace): Promise<Borrowed> {
  const stores = await objectStores(room.objects);
  const mounts: GuestMount[] = [];
  for (const [at, { dir, alternates }] of stores.entries()) {
    const inside = `${BORROWED_INSIDE}/${at}/objects`;
    mounts.push({ from: dir, at: inside, writable: false });
    if (alternates) mounts.push({ from: place.nothing, at: `${inside}/info/alternates`, writable: false });
    // git-lfs looks beside borrowed objects for files that it does not have itself.
    const lfs = resolve(dir, '../lfs');
    if (await exists(lfs)) mounts.push({ from: lfs, at: `${BORROWED_INSIDE}/${at}/lfs`, writable: false });
  }
  if (stores.some(({ alternates }) => alternates)) await writeAtomic(place.nothing, '', { fsync: false });
  return { mounts, alternates: stores.map((_, at) => `${BORROWED_INSIDE}/${at}/objects\n`).join('') };
}

interface Store {
  readonly dir: string;
  readonly alternates: boolean;
}

export async function objectStores(first: string): Promise<Store[]> {
  const stores = new Map<string, Store>();
  let level = [first];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const dir of level) {
      if (stores.has(dir) || (await stat(dir)) === null) continue;
      const text = await readText(`${dir}/info/alternates`);
      stores.set(dir, { dir, alternates: text !== null });
      next.push(...alternatesIn(text ?? '').map((path) => resolve(dir, path)));
    }
    level = next;
  }
  return [...stores.values()];
}

/** One path per line; `#` begins a comment, and quotation marks an escaped path. */
function alternatesIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (line.startsWith('"') ? line.slice(1, -1).replace(/\\(.)/g, '$1') : line));
}
