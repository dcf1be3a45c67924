import type { Repository } from '../git/repository.ts';

/** Every content that git keeps by a name, or that lies in the work tree. */
export function reachable(repository: Repository): ReadonlySet<string> {
  const { objects, refs } = repository;
  const trees = new Set([repository.snapshot()]);
  for (const [name, commit] of refs) {
    // The next iteration takes it: nobody can count on that.
    if (name.startsWith('refs/ralph/checkpoint/')) continue;
    for (const id of objects.history(commit)) trees.add(objects.commits.get(id)?.tree ?? '');
  }
  const blobs = new Set<string>();
  for (const tree of trees) for (const blob of objects.trees.get(tree)?.values() ?? []) blobs.add(blob);
  return new Set([...blobs].map((blob) => objects.blobs.get(blob)?.toString('utf8') ?? ''));
}
