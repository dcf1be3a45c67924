import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repositoryOf, runAgent, type Story, story } from '../../../test/support/git-changes.ts';
import { gitState, request, treeEntries, workTree } from '../../../test/support/git-repository.ts';
import { runs } from '../../../test/support/property-runs.ts';

/** PROPERTY_SHARE=50 for a thorough search; PROPERTY_SHRINK=1 to find a small example. */
const settings = { numRuns: runs(6), endOnFailure: !process.env.PROPERTY_SHRINK };

/** A file cannot stand beside a folder of its name: where the agent changed one, the other must go. */
function inTheWayOf(path: string, changed: ReadonlySet<string>): boolean {
  return [...changed].some((other) => path.startsWith(`${other}/`) || other.startsWith(`${path}/`));
}

async function commitsExactly(told: Story): Promise<void> {
  const repo = await repositoryOf(told);
  const checkpoint = await repo.git.checkpoint('main');
  runAgent(repo, told);
  const left = workTree(repo.root);
  const after = await repo.git.after(checkpoint);
  const changed = new Set(after.changed.map(({ path }) => path));
  const outcome = await repo.git.prepareCommit(request(checkpoint, { paths: [...changed] }));
  const before = treeEntries(repo, checkpoint.head);
  const now = treeEntries(repo, after.tree);
  if (outcome.kind === 'prepared') {
    const committed = treeEntries(repo, outcome.commit);
    for (const path of new Set([...before.keys(), ...now.keys(), ...committed.keys()])) {
      if (!changed.has(path) && inTheWayOf(path, changed)) continue;
      expect([path, committed.get(path)]).toEqual([path, (changed.has(path) ? now : before).get(path)]);
    }
    // Where the agent left the branch, which is not where it left HEAD if it switched away.
    const agentHead = after.movedRefs[checkpoint.branch ?? '']?.[1] ?? after.head;
    const apply = () => repo.git.applyCommit({ checkpoint, commit: outcome.commit, agentHead });
    expect(await apply()).toBe('applied');
    const state = gitState(repo);
    expect(await apply()).toBe('already');
    expect(gitState(repo)).toEqual(state);
    expect(state.head.trim()).toBe(outcome.commit);
  } else {
    // Nothing, or nothing that HEAD does not have: the agent took back what the user had not committed.
    expect(outcome.kind).toBe('empty');
    for (const path of changed) expect([path, now.get(path)]).toEqual([path, before.get(path)]);
  }
  expect(workTree(repo.root)).toEqual(left);
}

test("a commit takes exactly the iteration's changes, byte for byte, and nothing of the user's; the work tree is not touched", {
  timeout: 600_000,
}, async () => {
  await fc.assert(fc.asyncProperty(story, commitsExactly), settings);
});
