import { makeDir } from '../../../platform/files/files.ts';
import { gitError, ONLINE, type Room, tryScript } from '../room.ts';
import { RESET_TO } from '../scripts/reset-to.ts';

/** See `Git.resetTo`. Done again after a crash it comes to the same end. */
export async function resetTo(room: Room, commit: string): Promise<void> {
  await makeDir(room.work);
  const result = await tryScript(room, RESET_TO, [commit], undefined, ONLINE);
  if (result.exitCode !== 0) throw gitError(room, 'put the work tree to a commit', result);
}
