import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ignored, repositoryOf, runAgent, type Story, story } from '../../../test/support/git-changes.ts';
import { gitState, treeEntries, workTree } from '../../../test/support/git-repository.ts';
import { runs } from '../../../test/support/property-runs.ts';

/** PROPERTY_SHARE=50 for a thorough search; PROPERTY_SHRINK=1 to find a small example. */
const settings = { numRuns: runs(10), endOnFailure: !process.env.PROPERTY_SHRINK };

type Tree = ReadonlyMap<string, string>;

/** What a rollback answers for: everything but FIFOs, files that are ignored and not tracked, and folders that hold (or held) only those. */
function answeredFor(tree: Tree, other: Tree, tracked: ReadonlySet<string>): Tree {
  const isFolder = (path: string, from: Tree) => from.get(path)?.startsWith('dir') ?? false;
  const free = (path: string) =>
    (ignored(path) && !tracked.has(path)) || tree.get(path) === 'special' || other.get(path) === 'special';
  const holds = (folder: string, from: Tree, judge: (path: string) => boolean) =>
    [...from.keys()].some((path) => path.startsWith(`${folder}/`) && !isFolder(path, from) && judge(path));
  const counts = (path: string) => {
    if (!isFolder(path, tree)) return tree.get(path) !== 'special' && !(ignored(path) && !tracked.has(path));
    if (holds(path, tree, (inner) => !free(inner))) return true;
    return !ignored(path) && !holds(path, tree, free) && !holds(path, other, free);
  };
  return new Map([...tree].filter(([path]) => counts(path)));
}

function insideNested(path: string, tree: Tree): boolean {
  const parts = path.split('/');
  return parts.some((_, at) => tree.get([...parts.slice(0, at), '.git'].join('/'))?.startsWith('dir'));
}

async function rollsBack(told: Story): Promise<void> {
  const repo = await repositoryOf(told);
  const checkpoint = await repo.git.checkpoint('main');
  const [tree, state] = [workTree(repo.root), gitState(repo)];
  const tracked = new Set(repo.run('ls-files', '-z').split('\0'));
  runAgent(repo, told);
  const left = workTree(repo.root);

  const after = await repo.git.after(checkpoint);
  await repo.git.rescue({
    run: 'r',
    iteration: 1,
    tree: after.tree,
    parents: [checkpoint.head, after.head],
    subject: 'x',
    date: 1_700_000_000_000,
  });
  await repo.git.rollback(checkpoint);

  const back = workTree(repo.root);
  expect(Object.fromEntries(answeredFor(back, tree, tracked))).toEqual(
    Object.fromEntries(answeredFor(tree, back, tracked)),
  );
  expect(gitState(repo)).toEqual(state);
  for (const [path, entry] of left)
    if (ignored(path) && tree.get(path) === entry && entry.startsWith('file'))
      expect([path, back.get(path)]).toEqual([path, entry]);

  const kept = [checkpoint.tree, ...(await repo.git.rescues()).map(({ commit }) => commit)].map((id) =>
    treeEntries(repo, id),
  );
  for (const [path, entry] of left) {
    const id = entry.startsWith('file') ? entry.split(' ')[2] : undefined;
    if (id === undefined || ignored(path) || insideNested(path, left)) continue;
    expect([path, kept.some((entries) => entries.get(path) === id)]).toEqual([path, true]);
  }
  // Again, from where it is: nothing moves.
  await repo.git.rollback(checkpoint);
  expect(workTree(repo.root)).toEqual(back);
  expect(gitState(repo)).toEqual(state);
}

test('whatever the user had and whatever the agent did, a rollback brings everything back and a rescue holds what was there', {
  timeout: 600_000,
}, async () => {
  await fc.assert(fc.asyncProperty(story, rollsBack), settings);
});
