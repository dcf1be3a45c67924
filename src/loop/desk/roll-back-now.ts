import { writeFiles } from '../../adapters/workspace/document.ts';
import { readBytes } from '../../platform/files.ts';
import type { HookAnswer } from '../../rules/hooks/api.ts';
import type { RunContext } from '../context.ts';
import { keepTree } from '../keep.ts';
import { loopFiles } from '../loop-files.ts';
import type { DeskInput } from './open.ts';

/**
 * Takes the iteration's work back while the agent lives (`rollback: immediate`). Backlog and progress log stay as the
 * agent has them: knowledge survives a roll-back, and settle judges it.
 * @returns the full ref of the rescue; null when there was nothing to take back
 */
export async function rollBackNow(
  context: RunContext,
  { header, checkpoint }: DeskInput,
  reason: string,
): Promise<string | null> {
  const { git, workspace, emit } = context;
  const after = await git.after(checkpoint);
  const rescue = await keepTree(context, header, checkpoint, after, reason);
  if (rescue === null) return null;
  const own: Record<string, Uint8Array | null> = {};
  for (const path of loopFiles(workspace)) own[path] = await readBytes(`${git.repo.root}/${path}`);
  await git.rollback(checkpoint);
  await writeFiles(git.repo.root, own);
  emit(header.iteration, { type: 'rollback', rescue, files: after.changed.length });
  return rescue;
}

/** The answer to the tool call that showed the failure, with what became of the work. */
export function toldOfRollBack(answer: HookAnswer, rescue: string): HookAnswer {
  const said = answer.kind === 'allow' ? '' : answer.kind === 'context' ? answer.text : answer.reason;
  const told = `The tests failed, so the work tree was rolled back to the start of this iteration. Your work is kept: look with \`git show ${rescue}\`, take single files over with \`git show ${rescue}:PATH > PATH\`. Find the cause before you write it again.`;
  return { kind: 'block', reason: said === '' ? told : `${said}\n\n${told}` };
}
