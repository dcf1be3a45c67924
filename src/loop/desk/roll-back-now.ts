import { MOST_BACKLOG_BYTES, writeFiles } from '../../adapters/workspace/backlog/document.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import type { HookAnswer } from '../../rules/hooks/api.ts';
import type { RunContext } from '../context.ts';
import { afterSoFar } from '../inside/guest.ts';
import { keepTree } from '../keep/keep.ts';
import { loopFiles } from '../keep/loop-files.ts';
import type { DeskInput } from './input.ts';

/** Work that was taken back. */
interface RolledBack {
  /** Full ref of the rescue. */
  readonly rescue: string;
  /** What the agent finds it by. */
  readonly name: string;
  /** Where the agent's own HEAD has to go back to; null when it is there. */
  readonly resetTo: string | null;
}

/**
 * Takes the iteration's work back while the agent lives (`rollback: immediate`). Backlog and progress log stay as the
 * agent has them: knowledge survives a roll-back, and settle judges it.
 * @returns null when there was nothing to take back
 */
export async function rollBackNow(
  context: RunContext,
  { header, checkpoint }: DeskInput,
  reason: string,
): Promise<RolledBack | null> {
  const { git, isolation, workspace, emit } = context;
  const after = await afterSoFar(context, header, checkpoint);
  const rescue = await keepTree(context, header, checkpoint, after, reason);
  if (rescue === null) return null;
  const own: Record<string, Uint8Array | null> = {};
  for (const path of loopFiles(workspace)) {
    const found = await readInside(git.repo.root, path, MOST_BACKLOG_BYTES);
    // What cannot be read does not stay: the file is as it was.
    if (found.bytes !== null || found.why === null) own[path] = found.bytes;
  }
  await git.rollback(checkpoint);
  await writeFiles(git.repo.root, own);
  emit(header.iteration, { type: 'rollback', rescue, files: after.changed.length });
  if (!isolation.coversGitDir) return { rescue, name: rescue, resetTo: null };
  // The rescue's ref is not in the agent's copy of the git dir, but its objects are; and HEAD there is the agent's.
  const commit = (await git.rescues()).find(({ ref }) => ref === rescue)?.commit ?? rescue;
  return { rescue, name: commit, resetTo: after.head === checkpoint.head ? null : checkpoint.head };
}

/** The answer to the tool call that showed the failure, with what became of the work. */
export function toldOfRollBack(answer: HookAnswer, { name, resetTo }: RolledBack): HookAnswer {
  const said = answer.kind === 'allow' ? '' : answer.kind === 'context' ? answer.text : answer.reason;
  const reset = resetTo === null ? '' : ` Your commits were taken back too: run \`git reset ${resetTo}\`.`;
  const told = `The tests failed, so the work tree was rolled back to the start of this iteration. Your work is kept: look with \`git show ${name}\`, take single files over with \`git show ${name}:PATH > PATH\`.${reset} Find the cause before you write it again.`;
  return { kind: 'block', reason: said === '' ? told : `${said}\n\n${told}` };
}
