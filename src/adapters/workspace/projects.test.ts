import { expect, test } from 'vitest';
import { makeDir, writeAtomic } from '../../platform/index.ts';
import { knownTrees, projectAt, rememberProject } from './projects.ts';
import { tempTree } from './temp-tree.fixture.ts';

test('the work trees of streams are found in the one that they lie in', async () => {
  const base = await tempTree();
  const [root, env] = [`${base}/app`, { XDG_STATE_HOME: `${base}/state` }];
  for (const name of ['PRD-1', 'PRD-1-lane-1']) await writeAtomic(`${root}/.ralph/worktrees/${name}/.git`, 'gitdir: …');
  await makeDir(`${root}/.ralph/worktrees/no-work-tree`);
  await rememberProject(env, { root: `${root}/.ralph/worktrees/PRD-1`, repository: `${root}/.git` });
  const here = projectAt({ root, repository: `${root}/.git` });
  const found = await knownTrees(env, [here]);
  expect(found.map(({ name }) => name)).toEqual(['app', 'PRD-1', 'PRD-1-lane-1']);
  expect(new Set(found.map(({ repository }) => repository))).toEqual(new Set([`${root}/.git`]));
});
