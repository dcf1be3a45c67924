import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../test/support/git-repository.ts';
import { openGit } from '../adapters/git/index.ts';
import { listStreams } from '../adapters/workspace/index.ts';
import { removeStreamTree } from './remove.ts';
import { repairTree } from './repair.ts';

interface Place {
  readonly root: string;
  readonly gitDir: string;
  readonly main: string;
}

async function stream() {
  const repo = await makeRepository({ 'a.txt': 'one\n', '.gitignore': '.ralph/\n' });
  const root = join(repo.root, '.ralph/worktrees/PRD-1');
  await repo.git.addWorktree({ path: root, branch: 'ralph/prd-1', from: 'HEAD' });
  const { gitDir } = (await openGit(root, { env: repo.env })).repo;
  mkdirSync(join(gitDir, 'ralph'));
  writeFileSync(join(gitDir, 'ralph/ledger.jsonl'), 'a line\n');
  writeFileSync(join(root, 'half.txt'), 'not committed\n');
  const told: string[] = [];
  const repair = () => repairTree({ git: repo.git, root, env: repo.env, tell: (text) => told.push(text) });
  return { repo, root, gitDir, told, repair, main: repo.root, around: () => readdirSync(join(root, '..')) };
}

const REPAIRED: Readonly<Record<string, (place: Place) => void>> = {
  'lost its .git file': ({ root }) => rmSync(join(root, '.git')),
  'was moved': ({ root }) => renameSync(root, `${root}x`),
  'was moved, and a link put in its place': ({ root, main }) => {
    renameSync(root, `${root}x`);
    symlinkSync(main, root);
  },
  'was moved, and something else made there': ({ root }) => {
    renameSync(root, `${root}x`);
    mkdirSync(root);
    writeFileSync(join(root, 'other.txt'), 'other\n');
  },
  'became a repository': ({ root }) => {
    rmSync(join(root, '.git'));
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/x\n');
  },
};

test.each(Object.entries(REPAIRED))('a worktree that %s goes on with all that was in it', async (_, damage) => {
  const { repo, root, gitDir, repair, main, told } = await stream();
  damage({ root, gitDir, main });
  expect(await repair()).toBe(true);
  expect(readFileSync(join(root, 'half.txt'), 'utf8')).toBe('not committed\n');
  expect(told).not.toEqual([]);
  expect(await (await openGit(root, { env: repo.env })).currentBranch()).toBe('ralph/prd-1');
  expect(repo.run('status', '--porcelain', '--branch')).toBe('## main\n');
  expect(readFileSync(join(gitDir, 'ralph/ledger.jsonl'), 'utf8')).toBe('a line\n');
});

test('a worktree that was deleted is made again as its last commit has it, and keeps its ledger', async () => {
  const { root, gitDir, repair } = await stream();
  rmSync(root, { recursive: true });
  expect(await repair()).toBe(true);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n');
  expect(existsSync(join(gitDir, 'ralph/ledger.jsonl'))).toBe(true);
});

const FORGOTTEN: Readonly<Record<string, (place: Place) => void>> = {
  'is gone': ({ gitDir }) => rmSync(gitDir, { recursive: true }),
  'lost its HEAD': ({ gitDir }) => rmSync(join(gitDir, 'HEAD')),
};

test.each(Object.entries(FORGOTTEN))(
  'where its git dir %s it can be made anew, and the folder is kept',
  async (_, damage) => {
    const { repo, root, gitDir, repair, main, told, around } = await stream();
    damage({ root, gitDir, main });
    expect(await repair()).toBe(false);
    const kept = around().find((name) => name.startsWith('PRD-1.kept-'));
    expect(readFileSync(join(root, '..', kept ?? '', 'half.txt'), 'utf8')).toBe('not committed\n');
    expect(told.join()).toContain(kept);
    await repo.git.addWorktree({ path: root, branch: 'ralph/prd-1', from: 'HEAD' });
    expect(await repair()).toBe(true);
  },
);

test('one that cannot be read is removed by force all the same, and its folder is kept', async () => {
  const { repo, root, gitDir, around } = await stream();
  writeFileSync(join(gitDir, 'index'), 'no index at all');
  const [tree] = await listStreams(repo.git);
  const input = { git: repo.git, tree: tree!, env: repo.env };
  await expect(removeStreamTree({ ...input, force: false })).rejects.toThrow();
  const removed = await removeStreamTree({ ...input, force: true });
  expect(existsSync(root)).toBe(false);
  expect(removed.rescue !== null || around().some((name) => name.startsWith('PRD-1.kept-'))).toBe(true);
  expect(await listStreams(repo.git)).toEqual([]);
});
