import { remove } from '../../../platform/files/files.ts';
import { type Room, runScript } from '../room.ts';
import { REMOVE_FOR_CERTAIN } from '../scripts/guest.ts';
import { guestPlace } from './places.ts';

/** See `Git.removeGuest`. */
export async function removeGuest(room: Room, name: string): Promise<void> {
  const paths = Object.values(guestPlace(room, name));
  try {
    await Promise.all(paths.map(remove));
  } catch {
    await runScript(room, 'remove a guest git dir', REMOVE_FOR_CERTAIN, paths);
  }
}
