import { openGit } from '../../../adapters/git/index.ts';
import { list, readBytes, stat } from '../../../platform/files/files.ts';
import type { Played } from '../play.ts';
import type { Project } from '../project.ts';

/** The loop's own records and files: below them nothing else is kept. */
const RECORDS = ['.ralph', '.git/ralph', 'ralph'];
/** Git's own, with what the agent had in its tree. */
const NOT_WRITTEN = ['.git/ralph/shadow', '.git/ralph/guest', '.git/ralph/work'];

/** Lines that must stand nowhere, and where they stand: on the terminal, in a record, in a commit of the branch. */
export async function wronglySaid(
  { root }: Project,
  { said, events }: Played,
  patterns: readonly string[],
): Promise<readonly string[]> {
  if (patterns.length === 0) return [];
  const places = new Map([['the terminal', said]]);
  for (const folder of RECORDS) await collect(root, folder, places);
  const git = await openGit(root);
  for (const event of events) {
    const view = event.type === 'commit' ? await git.commitView(event.commit) : null;
    if (view !== null) places.set(`the commit "${view.subject}"`, `${view.subject}\n${view.body}\n${view.patch}`);
  }
  return [...places].flatMap(([place, text]) =>
    patterns
      .filter((pattern) => text.split('\n').some((line) => new RegExp(pattern).test(line)))
      .map((pattern) => `${place} has a line like ${pattern}`),
  );
}

async function collect(root: string, path: string, into: Map<string, string>): Promise<void> {
  if (NOT_WRITTEN.includes(path)) return;
  const kind = (await stat(`${root}/${path}`))?.kind;
  if (kind === 'dir') for (const name of await list(`${root}/${path}`)) await collect(root, `${path}/${name}`, into);
  if (kind === 'file') into.set(path, Buffer.from((await readBytes(`${root}/${path}`)) ?? []).toString('utf8'));
}
