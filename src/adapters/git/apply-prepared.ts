import { copyWithTime } from '../../platform/files/copy-with-time.ts';
import { move, orNull, remove } from '../../platform/files/files.ts';
import { changeIndex } from './change-index.ts';
import type { RawChange } from './lists.ts';
import { looseHead } from './loose-head.ts';
import type { Checkpoint } from './port.ts';
import { type Prepared, type Room, tryGit } from './room.ts';
import { OPERATION_FILES } from './scripts/prelude.ts';
import { markIndexKnown } from './shadow.ts';

/**
 * Begins to make the user's index as it will be with a commit: the copy of the checkpoint, with what the commit changes
 * as the commit has it. Null where only the script that applies commits can make it.
 */
export function prepareIndex(
  room: Room,
  checkpoint: Checkpoint,
  { parent, raw }: { readonly parent: string; readonly raw: readonly RawChange[] },
): Prepared['index'] {
  if (checkpoint.index === null || parent !== checkpoint.head) return null;
  const from = checkpoint.index;
  // One after the other: they all write the same file. Whoever does not ask how it went does not wait.
  const before = room.memory.prepared?.index?.made ?? Promise.resolve(false);
  const made = before.then(() => make(room, from, raw)).catch(() => false);
  return { from, made };
}

async function make(room: Room, from: string, raw: readonly RawChange[]): Promise<boolean> {
  const index = preparedIndex(room);
  await remove(`${index}.lock`);
  if (!(await copyWithTime(from, index))) return false;
  await changeIndex(room, index, raw);
  return true;
}

/**
 * Puts the prepared index in place and moves the branch, where HEAD is where the checkpoint found it.
 * @returns false when that is not certain; nothing that the script would not do again was done then
 */
export async function applyPrepared(room: Room, checkpoint: Checkpoint, prepared: Prepared): Promise<boolean> {
  const { branch, head, index } = checkpoint;
  if (prepared.index?.from !== index) return false;
  const now = await looseHead(room.repo);
  if (now === null || now.branch !== branch || now.commit !== head) return false;
  const { gitDir } = room.repo;
  await Promise.all(OPERATION_FILES.map((name) => remove(`${gitDir}/${name}`)));
  // Whoever is killed from here on finds the old branch, and does it all again from the checkpoint's copy.
  const [ours, before] = [`${gitDir}/index`, `${room.work}/before.index`];
  const hadIndex = await copyWithTime(ours, before);
  if ((await orNull(move(preparedIndex(room), ours).then(() => true))) === null) return false;
  const ref = branch === null ? ['--no-deref', '-m', 'ralph: commit', 'HEAD'] : ['-m', 'ralph: commit', branch];
  const moved = await tryGit(room, ['update-ref', ...ref, prepared.commit, head]);
  if (moved.exitCode !== 0) {
    // Somebody was quicker: what they staged goes with what they committed. The script tells what that means.
    await (hadIndex ? move(before, ours) : remove(ours));
    return false;
  }
  await remove(before);
  await markIndexKnown(room);
  return true;
}

/** Where {@link prepareIndex} makes it. */
export function preparedIndex(room: Room): string {
  return `${room.work}/apply.index`;
}
