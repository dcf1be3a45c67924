import { execFileSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { list, makeLink, makeTempDir, remove, writeAtomic } from '../../../platform/index.ts';
import { tempTree } from '../temp-tree.fixture.ts';
import { ensureStateFolder, tryStateFolder } from './state-folder.ts';

async function repository(files: Readonly<Record<string, string>> = {}) {
  const root = await tempTree(files);
  execFileSync('git', ['init', '-q', root]);
  return { root, commonDir: join(root, '.git') };
}
const untracked = (root: string) =>
  execFileSync('git', ['-C', root, 'status', '--porcelain', '-uall'], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(3));

test('git sees the configuration and the numbered specs, and nothing else of the state folder', async () => {
  const repo = await repository({
    '.ralph/status.json': '',
    '.ralph/runs/r/events.jsonl': '',
    '.ralph/x.log': '',
    '.ralph/state/a': '',
    '.ralph/worktrees/w/f': '',
    '.ralph/later': '',
    '.ralph/config.json': '',
    '.ralph/PRD-1/plan.md': '',
    '.ralph/PRD-1/sub/x': '',
    '.ralph-active': '',
    'a.txt': '',
  });
  expect(await ensureStateFolder(repo)).toEqual([]);
  expect(untracked(repo.root)).toEqual([
    '.ralph/.gitignore',
    '.ralph/PRD-1/plan.md',
    '.ralph/PRD-1/sub/x',
    '.ralph/config.json',
    'a.txt',
  ]);
});

test('doing it again writes nothing', async () => {
  const repo = await repository();
  await ensureStateFolder(repo);
  const paths = [join(repo.root, '.ralph/.gitignore'), join(repo.commonDir, 'info/exclude')];
  const before = await Promise.all(paths.map((path) => stat(path)));
  await ensureStateFolder(repo);
  const after = await Promise.all(paths.map((path) => stat(path)));
  expect(after.map((s) => s.ino)).toEqual(before.map((s) => s.ino));
});

test("a person's own lines are kept", async () => {
  const repo = await repository({ '.ralph/.gitignore': 'mine' });
  await writeFile(join(repo.commonDir, 'info/exclude'), 'theirs');
  await ensureStateFolder(repo);
  expect(await readFile(join(repo.root, '.ralph/.gitignore'), 'utf8')).toBe(
    'mine\n*\n!.gitignore\n!config.json\n!PRD-*/\n!PRD-*/**\n',
  );
  expect(await readFile(join(repo.commonDir, 'info/exclude'), 'utf8')).toBe('theirs\n/.ralph-active\n.*.ralph-tmp\n');
});

test('a root rule that hides numbered specs is named with how to fix it', async () => {
  const repo = await repository({
    '.gitignore': 'node_modules\n.ralph/\n',
    '.ralph/PRD-1/plan.md': '',
    '.ralph/PRD-2/plan.md': '',
  });
  expect(await ensureStateFolder(repo)).toEqual([
    '.gitignore:2 ignores all of .ralph/, so PRD-1, PRD-2 cannot be committed: remove that line (.ralph/.gitignore already hides the state)',
  ]);
  expect(await ensureStateFolder(await repository({ '.gitignore': '.ralph/\n' }))).toEqual([]);
});

test('what keeps the state from being written shows before anything is made', async () => {
  const root = await makeTempDir('ralph-trial-');
  try {
    await tryStateFolder(root);
    expect(await list(root)).toEqual([]);
    await makeLink('nowhere', `${root}/.ralph`);
    await expect(tryStateFolder(root)).rejects.toThrow(/ENOENT|EEXIST/);
    await remove(`${root}/.ralph`);
    await writeAtomic(`${root}/.ralph`, 'a file');
    await expect(tryStateFolder(root)).rejects.toThrow('EEXIST');
    expect(await list(root)).toEqual(['.ralph']);
  } finally {
    await remove(root);
  }
});
