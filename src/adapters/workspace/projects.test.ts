import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeDir, writeAtomic } from '../../platform/index.ts';
import {
  agentTempPrefix,
  dropOldRuns,
  findOldRuns,
  knownTrees,
  listRuns,
  projectAt,
  rememberProject,
  rememberRun,
} from './projects.ts';
import { tempTree } from './temp-tree.fixture.ts';

const OLD = '20260101-000000-aaaa';
const NEW = '20260102-000000-bbbb';
const log = (run: string) => ({ [`.ralph/runs/${run}/events.jsonl`]: `{"type":"log","version":1,"run":"${run}"}\n` });

test('runs that came with a clone are not shown as ours, before and after the first run of our own', async () => {
  const root = await tempTree({ '.git/HEAD': 'ref: refs/heads/main\n', ...log(OLD), ...log(NEW) });
  expect(await listRuns(root)).toEqual([]);
  await rememberRun(`${root}/.git/ralph`, NEW);
  await rememberRun(`${root}/.git/ralph`, NEW);
  expect(await listRuns(root)).toEqual([NEW]);
});

test('a linked work tree has a list of its own; without a repository nobody can say', async () => {
  const root = await tempTree({ ...log(OLD), 'elsewhere/ralph/runs': `${OLD}\n` });
  expect(await listRuns(root)).toEqual([OLD]);
  await writeFile(`${root}/.git`, 'gitdir: elsewhere\n');
  expect(await listRuns(root)).toEqual([OLD]);
  await writeFile(`${root}/elsewhere/ralph/runs`, '');
  expect(await listRuns(root)).toEqual([]);
});

const run = (day: number) => `202611${day}-030000-abcd`;
const NOBODY: ReadonlySet<string> = new Set();

async function project(...runs: readonly string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'old-runs-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const name of runs) {
    await mkdir(join(root, '.ralph/runs', name), { recursive: true });
    await writeFile(join(root, '.ralph/runs', name, 'events.jsonl'), '');
  }
  return root;
}

test('all but the last go, and never one that is spared', async () => {
  const root = await project(run(10), run(11), run(12), run(13));
  const old = async (keep: number, spared: ReadonlySet<string>) => (await findOldRuns(root, keep, spared)).runs;
  expect(await old(2, NOBODY)).toEqual([run(10), run(11)]);
  expect(await old(1, new Set([run(11)]))).toEqual([run(10), run(12)]);
  expect(await old(9, NOBODY)).toEqual([]);
});

test('folders of old runs are deleted, and nothing beside them', async () => {
  const root = await project(run(10), run(11), run(12), 'notes');
  expect(await findOldRuns(root, 1, NOBODY)).toEqual({ runs: [run(10), run(11)], leftovers: [] });
  expect(await readdir(join(root, '.ralph/runs'))).toHaveLength(4);
  await dropOldRuns(root, 1, new Set([run(10)]));
  expect(await readdir(join(root, '.ralph/runs'))).toEqual([run(10), run(12), 'notes']);
});

test('private folders of dead agents go, those of a run that lives stay', async () => {
  const [dead, live] = [`${run(10)}${process.pid}`, `${run(11)}${process.pid}`];
  const root = await project(dead, live);
  for (const name of [dead, live]) {
    const folder = await mkdtemp(join(tmpdir(), agentTempPrefix(name)));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
  }
  const { leftovers } = await dropOldRuns(root, 5, new Set([live]));
  expect(leftovers).toEqual([expect.stringContaining(agentTempPrefix(dead))]);
  expect((await findOldRuns(root, 5, NOBODY)).leftovers).toEqual([expect.stringContaining(agentTempPrefix(live))]);
});

test('a folder of runs behind a link is left alone', async () => {
  const other = await project(run(10), run(11));
  const root = await project();
  await mkdir(join(root, '.ralph'));
  await symlink(join(other, '.ralph/runs'), join(root, '.ralph/runs'));
  expect(await dropOldRuns(root, 1, NOBODY)).toEqual({ runs: [], leftovers: [] });
  expect(await dropOldRuns(await project(), 1, NOBODY)).toEqual({ runs: [], leftovers: [] });
});

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
