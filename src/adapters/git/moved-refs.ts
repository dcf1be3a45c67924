import type { Git } from './port.ts';
import { type Room, runGit, tryGit } from './room.ts';

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

/** See `Git.restoreRefs`. One by one, so that one that was made anew stays and the others come back. */
export async function restoreRefs(room: Room, refs: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const restored: string[] = [];
  for (const [name, id] of Object.entries(refs)) {
    const { exitCode } = await tryGit(room, ['update-ref', '-m', 'ralph: restored', name, id, '0'.repeat(id.length)]);
    if (exitCode === 0) restored.push(name);
  }
  return restored;
}
