import { readDocument } from '../../../adapters/workspace/backlog/document.ts';
import { templatePath } from '../../../adapters/workspace/backlog/template-files.ts';
import type { RalphEvent } from '../../../contracts/events.ts';
import type { Story } from '../../../contracts/model.ts';
import { runCommand } from '../../../platform/process/run-command.ts';
import type { Project } from '../project.ts';
import { CHECK_OF } from '../settings.ts';
import { workspaceOf } from '../workspace.ts';

/** A check that takes longer does not pass. */
const CHECK_MS = 20_000;

/** No story is marked that is not done: neither its own check nor a review is missing behind a mark. */
export async function falseMarks(project: Project, events: readonly RalphEvent[]): Promise<readonly string[]> {
  const { document } = await readDocument(await workspaceOf(project.root));
  const marked = (document?.backlog.stories ?? []).filter(isMarked);
  const done = new Set<string>();
  for (const { id } of marked) if (await isReallyDone(project.root, id)) done.add(id);
  return judgeMarks(marked, done, approvedIn(events));
}

/** Marks that something is missing behind. Pure. */
export function judgeMarks(
  marked: readonly Pick<Story, 'id'>[],
  done: ReadonlySet<string>,
  approved: ReadonlySet<string>,
): readonly string[] {
  return marked.flatMap(({ id }) => [
    ...(done.has(id) ? [] : [`${id} is marked as done, but its check fails`]),
    ...(approved.has(id) ? [] : [`${id} is marked as done, but no review approved it`]),
  ]);
}

/** Either of the two marks, so that half of one counts as well. */
function isMarked({ passes, reviewStatus }: Story): boolean {
  return passes || reviewStatus === 'approved';
}

/** Stories that an accepted review approved. */
function approvedIn(events: readonly RalphEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) =>
      event.type === 'verdict' && event.mode === 'review' && event.verdict === 'accepted' && event.claim === 'approved'
        ? [event.story]
        : [],
    ),
  );
}

/** By the check as this installation has it: the one in the project may have been changed. */
async function isReallyDone(root: string, story: string): Promise<boolean> {
  const check = CHECK_OF[story];
  if (check === undefined) return false;
  const path = `${await templatePath('selftest')}/${check}`;
  const { exitCode } = await runCommand(process.execPath, [path, root], { cwd: root, timeoutMs: CHECK_MS });
  return exitCode === 0;
}
