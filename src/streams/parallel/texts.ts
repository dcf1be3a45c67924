import { MOST_BACKLOG_BYTES } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { loopFiles } from '../../loop/keep/loop-files.ts';
import { readInside } from '../../platform/files/files-inside.ts';

/** The loop's own files in a work tree, by path; without those that are not there. */
export async function loopTexts(root: string, workspace: Workspace): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const path of loopFiles(workspace)) {
    const { bytes } = await readInside(root, path, MOST_BACKLOG_BYTES);
    if (bytes !== null) texts[path] = bytes.toString('utf8');
  }
  return texts;
}
