import { copyWithTime } from '../../platform/files/copy-with-time.ts';
import { move, orNull, remove } from '../../platform/files/files.ts';
import type { RawChange } from './lists.ts';
import { looseHead } from './loose-head.ts';
import { joinNul } from './path-bytes.ts';
import type { Checkpoint } from './port.ts';
import { OFFLINE, type Prepared, type Room, tryGit } from './room.ts';
import { OPERATION_FILES } from './scripts/prelude.ts';
import { markIndexKnown } from './shadow.ts';

/**
 * Begins to make the user's index as it will be with a commit: the copy of the checkpoint, with what the commit changes
 * as the commit has it. Null where only the script that applies commits can make it.
 */
export function prepareIndex(
  room: Room,
  checkpoint: Checkpoint,
  { commit, parent, raw }: { readonly commit: string; readonly parent: string; readonly raw: readonly RawChange[] },
): Prepared['index'] {
  if (checkpoint.index === null || parent !== checkpoint.head) return null;
  const from = checkpoint.index;
  // One after the other: they all write the same file. Whoever does not ask how it went does not wait.
  const before = room.memory.prepared?.index?.made ?? Promise.resolve(false);
  const made = before.then(() => make(room, from, commit, raw)).catch(() => false);
  return { from, made };
}

async function make(room: Room, from: string, commit: string, raw: readonly RawChange[]): Promise<boolean> {
  const index = preparedIndex(room);
  await remove(`${index}.lock`);
  if (!(await copyWithTime(from, index))) return false;
  const names = ['--pathspec-from-file=-', '--pathspec-file-nul', commit];
  const alone = { ...room, env: { ...room.env, GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: '1', ...OFFLINE } };
  const paths = joinNul(raw.map(({ path }) => path));
  const { exitCode } = await tryGit(alone, ['reset', '-q', '--no-refresh', ...names], paths);
  return exitCode === 0;
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
  if ((await orNull(move(preparedIndex(room), `${gitDir}/index`).then(() => true))) === null) return false;
  const ref = branch === null ? ['--no-deref', '-m', 'ralph: commit', 'HEAD'] : ['-m', 'ralph: commit', branch];
  // Fails when somebody was quicker: the script tells what that means.
  const moved = await tryGit(room, ['update-ref', ...ref, prepared.commit, head]);
  if (moved.exitCode !== 0) return false;
  await markIndexKnown(room);
  return true;
}

function preparedIndex(room: Room): string {
  return `${room.work}/apply.index`;
}
