import { mkdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tempTree } from '../temp-tree.fixture.ts';
import { listRuns, rememberRun } from './own-runs.ts';

const OLD = '20260101-000000-aaaa';
const NEW = '20260102-000000-bbbb';
const log = (run: string) => ({ [`.ralph/runs/${run}/events.jsonl`]: `{"type":"log","version":1,"run":"${run}"}\n` });

test('runs that came with a clone are not shown as ours, before and after the first run of our own', async () => {
  const root = await tempTree({ '.git/HEAD': 'ref: refs/heads/main\n', ...log(OLD), ...log(NEW) });
  expect(await listRuns(root)).toEqual([]);
  await rememberRun(root, `${root}/.git/ralph`, NEW);
  await rememberRun(root, `${root}/.git/ralph`, NEW);
  expect(await listRuns(root)).toEqual([NEW]);
});

test('runs of a version that kept no list stay ours where there is a ledger', async () => {
  const root = await tempTree({ '.git/ralph/ledger.jsonl': '', ...log(OLD) });
  expect(await listRuns(root)).toEqual([OLD]);
  await rememberRun(root, `${root}/.git/ralph`, NEW);
  await mkdir(`${root}/.ralph/runs/${NEW}`);
  await mkdir(`${root}/.ralph/runs/20260103-000000-cccc`);
  expect(await listRuns(root)).toEqual([OLD, NEW]);
});

test('a linked work tree has a list of its own; without a repository nobody can say', async () => {
  const root = await tempTree({ ...log(OLD), 'elsewhere/ralph/runs': `${OLD}\n` });
  expect(await listRuns(root)).toEqual([OLD]);
  await writeFile(`${root}/.git`, 'gitdir: elsewhere\n');
  expect(await listRuns(root)).toEqual([OLD]);
  await writeFile(`${root}/elsewhere/ralph/runs`, '');
  expect(await listRuns(root)).toEqual([]);
});
