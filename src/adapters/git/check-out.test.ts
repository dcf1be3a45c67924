import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';

async function makePlace(files: Readonly<Record<string, string>>) {
  const repo = await makeRepository(files);
  const base = mkdtempSync(join(tmpdir(), 'ralph-check-out-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const folder = join(base, 'project');
  const at = (path: string) => join(folder, path);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env: repo.env, encoding: 'utf8' }).trim();
  const bring = async (
    ignored: 'keep' | 'remove' = 'keep',
    keep: readonly string[] = [],
    shown = (path: string) => path,
  ) => {
    const { tree, head } = await repo.git.checkpoint('main');
    await repo.git.checkOut({ folder: shown(folder), index: join(base, 'index'), tree, parent: head, ignored, keep });
    return { tree, head };
  };
  return { repo, base, folder, at, git, bring };
}

test('a folder is brought to the tree under judgement, and git there finds nothing uncommitted', async () => {
  const { repo, at, git, bring } = await makePlace({ 'a.txt': 'one\r\n', '.gitignore': 'out/\n' });
  repo.write('b.txt', 'not committed\n');
  const { head, tree } = await bring();
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\r\n');
  expect(readFileSync(at('b.txt'), 'utf8')).toBe('not committed\n');
  expect(git('status', '--porcelain')).toBe('');
  expect([git('rev-parse', 'HEAD^'), git('rev-parse', 'HEAD^{tree}')]).toEqual([head, tree]);
  expect(git('rev-parse', 'main')).toBe(head);

  repo.write('a.txt', 'two\r\n');
  repo.run('rm', '-q', '--cached', '.gitignore');
  await bring();
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('two\r\n');
  expect(git('status', '--porcelain')).toBe('');
});

test('what a check left is gone, what git ignores stays only where that is asked for', async () => {
  const { at, git, bring } = await makePlace({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n', '.gitignore': 'out/\n' });
  const spoil = () => {
    writeFileSync(at('a.txt'), 'mine\n');
    rmSync(at('sub'), { recursive: true, force: true });
    symlinkSync('/etc', at('sub'));
    for (const folder of ['out', 'left', 'kept']) mkdirSync(at(folder), { recursive: true });
    for (const file of ['out/made', 'left/over', 'kept/here']) writeFileSync(at(file), 'mine\n');
    writeFileSync(at('.git/config'), '[alias]\n\tstatus = !echo forged\n[core]\n\tfsmonitor = /bin/true\n');
    mkdirSync(at('.git/hooks'));
    execFileSync('git', ['init', '-q', at('left/nested')]);
  };
  await bring();
  spoil();
  await bring('keep', ['/kept']);
  expect(['a.txt', 'sub/b.txt', 'out/made', 'left', 'kept/here'].map((path) => existsSync(at(path)))).toEqual([
    ...[true, true, true, false, true],
  ]);
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
  expect(readFileSync(at('.git/config'), 'utf8')).not.toContain('forged');
  expect(existsSync(at('.git/hooks'))).toBe(false);
  expect(git('status', '--porcelain', '--', ':!kept')).toBe('');

  spoil();
  await bring('remove', ['/kept']);
  expect(['out', 'left', 'kept/here'].map((path) => existsSync(at(path)))).toEqual([false, false, true]);
});

test('a change back within the same moment is seen', async () => {
  const { at, bring } = await makePlace({ 'a.txt': 'one\n' });
  for (let turn = 0; turn < 5; turn += 1) {
    await bring();
    writeFileSync(at('a.txt'), 'two\n');
    await bring();
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
  }
});

test('submodules are there as the commit names them, not as the work tree has them', async () => {
  const { repo, at, bring } = await makePlace({ 'a.txt': 'one\n' });
  const module = await makeRepository({ 'm.txt': 'theirs\n' });
  repo.run('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', module.root, 'libs/m');
  repo.run('commit', '-q', '-m', 'submodule');
  repo.write('libs/m/m.txt', 'mine\n');
  await bring();
  expect(readFileSync(at('libs/m/m.txt'), 'utf8')).toBe('theirs\n');

  writeFileSync(at('libs/m/m.txt'), 'spoilt\n');
  await bring('remove');
  expect(readFileSync(at('libs/m/m.txt'), 'utf8')).toBe('theirs\n');
});
