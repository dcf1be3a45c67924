import { parseRaw } from '../lists.ts';
import { type Room, runScript } from '../room.ts';
import { PAST } from '../scripts/advance.ts';

/** Every path that a commit of `from..to` changed → the ids of the blobs that it had in one of them. */
export async function pastVersions(
  room: Room,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const past = new Map<string, Set<string>>();
  for (const { path, newId } of parseRaw(await runScript(room, 'read what commits changed', PAST, [from, to]))) {
    const ids = past.get(path) ?? new Set();
    past.set(path, ids.add(newId));
  }
  return past;
}
