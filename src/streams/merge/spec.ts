import { type Git, SPEC_REF } from '../../adapters/git/index.ts';
import type { BacklogDocument } from '../../rules/backlog/index.ts';
import { LOOSE, looseFiles } from '../fleet/outcome-file.ts';
import type { MergeTarget } from './sides.ts';

/** Where the stories of a stream are that git ignores, and what a person's copy gets of it. */
interface SpecSource {
  /** A ref or tree. */
  readonly tree: string;
  /** The state of a fleet that it is from; null: of this repository. */
  readonly fleet: { readonly commit: string; readonly taken: string } | null;
}

/**
 * Null where the commit has the stories. A fleet's state that was fetched and not brought home yet is newer than what
 * this repository knows.
 */
export async function specSource(
  git: Git,
  stream: string,
  { file }: Pick<BacklogDocument, 'file'>,
  head: string,
): Promise<SpecSource | null> {
  if ((await git.show(head, file)) !== null) return null;
  const state = `refs/ralph/fleet/${stream}/state`;
  const taken = takenRef(stream);
  const commit = await git.resolve(state);
  const loose = commit && commit !== (await git.resolve(taken)) ? await git.show(commit, LOOSE) : null;
  if (!commit || !loose) return { tree: SPEC_REF, fleet: null };
  const files = looseFiles(Buffer.from(loose).toString('utf8'));
  return { tree: await git.treeWith(commit, files), fleet: { commit, taken } };
}

/** The state of a fleet's stream that this repository brought home last. */
export const takenRef = (stream: string): string => `refs/ralph/fleet/${stream}/taken`;

/**
 * Lets the person's copy of an ignored spec folder say what was done in the stream, unless they changed it since.
 * @returns what people should know of it: one sentence each
 */
export async function bringHome(
  git: Git,
  { stream, workspace }: MergeTarget,
  document: BacklogDocument,
  head: string,
): Promise<readonly string[]> {
  const source = await specSource(git, stream, document, head);
  if (source === null) return [];
  const { tree, fleet } = source;
  const paths = [document.file, document.reviewsFile, workspace.progressPath];
  const changed = await git.updateSpec(tree, paths);
  if (changed.length > 0) {
    const from = fleet?.commit.slice(0, 12) ?? SPEC_REF;
    const look = fleet ? `git show ${from}:${LOOSE}` : `git show ${from}:${changed[0]}`;
    return [`${changed.join(' ')}: you changed it, so it is kept; the state of the stories is in: ${look}`];
  }
  if (fleet === null) return [];
  await git.saveSpec(paths);
  await git.keepRef(fleet.taken, fleet.commit);
  return [];
}
