import { posix } from 'node:path';
import type { BacklogDocument } from '../../../rules/backlog/api.ts';
import { initialProgress } from '../../../rules/progress/initial.ts';
import { linesOf, newlineOf, sectionsOf } from '../../../rules/progress/sections.ts';
import { readTemplate } from '../backlog/template-files.ts';
import type { Workspace } from '../layout.ts';

/** What an archive takes from a spec folder, as it is on the disk; null for a file that is not there. */
export interface SpecTexts {
  readonly prd: Uint8Array | null;
  readonly progress: Uint8Array | null;
}

/**
 * The spec folder of the next loop, as changes of files: path → text, null to delete. Kept is what outlives a loop:
 * prompt template, checks, and the patterns on top of the progress log. Only files that were there are renewed.
 */
export async function freshSpec(
  workspace: Workspace,
  document: BacklogDocument,
  texts: SpecTexts,
): Promise<Readonly<Record<string, string | null>>> {
  const { project } = document.backlog;
  const progress = texts.progress === null ? null : new TextDecoder().decode(texts.progress);
  return {
    ...(texts.prd === null ? {} : { [workspace.prdPath]: await readTemplate('prd.md') }),
    ...(progress === null ? {} : { [workspace.progressPath]: freshProgress(progress, project || workspace.name) }),
    ...(document.reviewsText === null ? {} : { [document.reviewsFile]: null }),
    ...(await freshBacklog(workspace, document)),
  };
}

/** The log without its entries. */
function freshProgress(text: string, project: string): string {
  const { patterns } = sectionsOf(text);
  return patterns.length === 0 ? initialProgress(project) : [...patterns, ''].join(newlineOf(text));
}

/**
 * A native backlog without stories: of the other forms, only those with stories count as one. In the classic layout, the
 * checklist is looked for by its name, so there it stays one.
 */
async function freshBacklog(
  { kind }: Workspace,
  document: BacklogDocument,
): Promise<Readonly<Record<string, string | null>>> {
  if (kind === 'classic') return { [document.file]: emptyChecklist(document.text) };
  const native = posix.join(posix.dirname(document.file), 'tasks.json');
  return { [document.file]: null, [native]: await nativeText(document) };
}

async function nativeText({ backlog }: BacklogDocument): Promise<string> {
  const template = JSON.parse(await readTemplate('tasks.json')) as Record<string, unknown>;
  const fresh = { ...template, project: backlog.project ?? '', verifyCommands: backlog.verifyCommands };
  return `${JSON.stringify(fresh, null, 2)}\n`;
}

/** Its first heading. */
function emptyChecklist(text: string): string {
  return `${linesOf(text).find((line) => /^#\s+\S/.test(line)) ?? '# Plan'}\n`;
}
