import { writeAtomic } from '../../platform/files/atomic-file.ts';
import { readText, stat } from '../../platform/files/files.ts';
import { runInGuest } from './guest/hook-run.ts';
import type { HookFailure, HookSetting } from './hook-setting.ts';
import type { CommitRequest } from './port.ts';
import type { Room } from './room.ts';

const HOOKS = ['pre-commit', 'prepare-commit-msg', 'commit-msg'];

/** Nobody is there to answer, and nothing to page. */
const UNATTENDED = { GIT_EDITOR: ':', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };

/** Those of the user's hooks that are there, in their order. */
export async function presentHooks(room: Room): Promise<readonly string[]> {
  const found = await Promise.all(HOOKS.map((hook) => stat(`${room.hooksDir}/${hook}`)));
  return HOOKS.filter((_, at) => found[at] !== null);
}

/**
 * Runs commit hooks on the index of the commit that is being built, which they may change; gives the message as they
 * leave it, or the first refusal.
 */
export async function runHooks(
  room: Room,
  request: CommitRequest,
  hooks: readonly string[],
  message: string,
): Promise<HookFailure | string> {
  const runAll = (setting: HookSetting) => firstFailure(room, request, hooks, setting);
  if (request.guestHooks) return runInGuest(room, request, message, runAll);
  // Where people's hooks expect it, whether they look at their argument or not.
  const edited = `${room.repo.gitDir}/COMMIT_EDITMSG`;
  await writeAtomic(edited, message, { fsync: false });
  const failure = await runAll({ index: `${room.work}/commit.index`, message: edited, mounts: [] });
  return failure ?? (await readText(edited)) ?? '';
}

async function firstFailure(
  room: Room,
  { runHook }: CommitRequest,
  hooks: readonly string[],
  { index, message, mounts }: HookSetting,
): Promise<HookFailure | null> {
  for (const hook of hooks) {
    const args = hook === 'pre-commit' ? [] : hook === 'commit-msg' ? [message] : [message, 'message'];
    const { exitCode, output } = await runHook({
      file: 'git',
      args: ['hook', 'run', '--ignore-missing', hook, '--', ...args],
      cwd: room.repo.root,
      env: { ...UNATTENDED, GIT_INDEX_FILE: index },
      mounts,
    });
    if (exitCode !== 0) return { hook, output };
  }
  return null;
}
