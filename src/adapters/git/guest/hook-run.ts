import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { readBytes, readText } from '../../../platform/files/files.ts';
import type { HookFailure, HookSetting } from '../hook-setting.ts';
import type { CommitRequest } from '../port.ts';
import type { Room } from '../room.ts';
import { openGuest } from './open.ts';
import { insideOf } from './places.ts';
import { look } from './refs.ts';
import { removeGuest } from './remove.ts';
import { takeIndex } from './take-index.ts';

const NAME = 'hooks';
/** A commit message that is longer was not written for people. */
const LONGEST_MESSAGE = 1024 * 1024;

/**
 * Runs commit hooks in a guest git dir that looks like the repository in the middle of this commit: HEAD is its
 * parent, the index and COMMIT_EDITMSG are its own. What they leave is taken over afterwards.
 */
export async function runInGuest(
  room: Room,
  request: CommitRequest,
  message: string,
  runAll: (setting: HookSetting) => Promise<HookFailure | null>,
): Promise<HookFailure | string> {
  const { dir, mounts } = await openGuest(room, NAME);
  try {
    const { gitDir } = await insideOf(room);
    const index = (await readBytes(`${room.work}/commit.index`)) ?? new Uint8Array();
    await Promise.all([
      pointHead(dir, request.parent ?? request.checkpoint.head),
      writeAtomic(`${dir}/index`, index, { fsync: false }),
      writeAtomic(`${dir}/COMMIT_EDITMSG`, message, { fsync: false }),
    ]);
    const failure = await runAll({ index: `${gitDir}/index`, message: `${gitDir}/COMMIT_EDITMSG`, mounts });
    if (failure !== null) return failure;
    const complaint = await takeIndex(room, dir, index);
    if (complaint !== null) return { hook: 'pre-commit', output: complaint };
    const edited = await look(`${dir}/COMMIT_EDITMSG`);
    const readable = edited?.kind === 'file' && edited.size <= LONGEST_MESSAGE;
    return (readable ? await readText(`${dir}/COMMIT_EDITMSG`).catch(() => null) : null) ?? message;
  } finally {
    await removeGuest(room, NAME);
  }
}

async function pointHead(dir: string, commit: string): Promise<void> {
  const head = (await readText(`${dir}/HEAD`)) ?? '';
  const file = head.startsWith('ref: ') ? head.slice(5).trim() : 'HEAD';
  await writeAtomic(`${dir}/${file}`, `${commit}\n`, { fsync: false });
}
