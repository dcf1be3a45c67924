import type { Git } from './port.ts';
import { type Room, runGit } from './room.ts';

/** See `Git.keepMovedRefs`. What appeared new has no old value to keep. */
export async function keepMovedRefs(
  room: Room,
  { run, iteration, movedRefs }: Parameters<Git['keepMovedRefs']>[0],
): Promise<void> {
  const lines = Object.entries(movedRefs).flatMap(([name, [before]]) =>
    before === '' ? [] : [`update refs/ralph/moved/${run}/${iteration}/${name} ${before}`],
  );
  if (lines.length === 0) return;
  await runGit(room, 'keep what refs pointed to', ['update-ref', '--stdin'], Buffer.from(`${lines.join('\n')}\n`));
}
