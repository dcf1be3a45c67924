import { describe, expect, test } from 'vitest';
import { needs } from '../../../../test/support/debian.ts';
import { makeRepository, request, treeEntries } from '../../../../test/support/git-repository.ts';
import { openGit } from '../open.ts';
import type { HookRunner } from '../port.ts';
import { bwrapHookRunner } from './guest.fixture.ts';

const missing = await needs('bwrap');
const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'dir/c.txt': 'three\n' };

/** Builds a commit of a.txt with a hook in a guest git dir. */
async function committed(hooks: Readonly<Record<string, string>>) {
  const repo = await makeRepository(FILES);
  for (const [name, text] of Object.entries(hooks)) repo.write(name, `#!/bin/sh\n${text}\n`, 0o755);
  repo.write('b.txt', 'dirt\n');
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('a.txt', 'agent\n');
  const index = repo.run('ls-files', '-s');
  const guest = { paths: ['a.txt'], hooks: true, guestHooks: true, runHook: bwrapHookRunner(repo) };
  const prepare = (more: { runHook?: HookRunner } = {}) =>
    repo.git.prepareCommit(request(checkpoint, { ...guest, ...more }));
  return { repo, prepare, outcome: await prepare(), untouched: () => repo.run('ls-files', '-s') === index };
}

describe.skipIf(missing)('commit hooks in a guest git dir', () => {
  test('see the commit’s index and may change it and the message', async () => {
    const { repo, outcome, untouched } = await committed({
      '.git/hooks/pre-commit': `git diff --cached --name-only > seen
        echo formatted > a.txt; git add a.txt; printf new > 'na me'; git add 'na me'; git rm -q --cached dir/c.txt`,
      '.git/hooks/commit-msg': 'echo "Change-Id: $(wc -l < .git/COMMIT_EDITMSG)" >> "$1"',
    });
    if (outcome.kind !== 'prepared') throw new Error(JSON.stringify(outcome));
    expect(repo.read('seen')).toBe('a.txt\n');
    expect([...treeEntries(repo, outcome.commit).keys()]).toEqual(['a.txt', 'b.txt', 'na me']);
    expect(repo.run('show', `${outcome.commit}:a.txt`)).toBe('formatted\n');
    expect(repo.run('show', `${outcome.commit}:b.txt`)).toBe('two\n');
    expect(repo.run('log', '-1', '--format=%B', outcome.commit)).toContain('Change-Id: 3');
    expect(repo.run('fsck', '--strict', '--no-dangling')).toBe('');
    expect(untouched()).toBe(true);
  });

  test('may refuse, and change nothing outside then', async () => {
    const { outcome, untouched } = await committed({
      '.git/hooks/pre-commit':
        'git commit -q --no-verify -m sneaky; git config core.fsmonitor x; echo "line 3: too long" >&2; exit 1',
    });
    expect(outcome).toEqual({ kind: 'hook-failed', hook: 'pre-commit', output: 'line 3: too long' });
    expect(untouched()).toBe(true);
  });

  test('are found in the work tree; the same is prepared again', async () => {
    const repo = await makeRepository({ ...FILES, '.husky/pre-commit': '#!/bin/sh\necho husky > h; git add h\n' });
    repo.run('config', 'core.hooksPath', '.husky');
    repo.sh('chmod +x .husky/pre-commit');
    const git = await openGit(repo.root, { env: repo.env });
    const checkpoint = await git.checkpoint('main');
    repo.write('a.txt', 'agent\n');
    const runHook = bwrapHookRunner(repo);
    const prepare = () =>
      git.prepareCommit(request(checkpoint, { paths: ['a.txt'], hooks: true, guestHooks: true, runHook }));
    const first = await prepare();
    expect(first.kind).toBe('prepared');
    expect(await prepare()).toEqual(first);
    if (first.kind === 'prepared') expect(repo.run('show', `${first.commit}:h`)).toBe('husky\n');
  });

  test.each([
    ['rm -f .git/index', 'the hook left no index'],
    ['echo x > .git/index', 'cannot read'],
    ['rm -f .git/index; mkfifo .git/index', 'the hook left no index'],
    [
      'id=$(echo lost | git hash-object -w --stdin); rm -f ".git/objects/$(echo $id | sed s,..,\\&/,)"; printf "100644 $id\\tx\\n" | git update-index --index-info',
      'adopted',
    ],
    ['printf "100644 $(git rev-parse HEAD)\\tx\\n" | git update-index --index-info', 'adopted'],
    [
      'id=$(git rev-parse HEAD:a.txt); printf "100644 $id 1\\ta.txt\\n100644 $id 2\\ta.txt\\n" | git update-index --index-info',
      'half done',
    ],
  ])('leave behind what cannot be committed: %s', async (text, said) => {
    const { outcome, untouched, prepare, repo } = await committed({ '.git/hooks/pre-commit': text });
    expect(outcome).toMatchObject({ kind: 'hook-failed', output: expect.stringContaining(said) });
    expect(untouched()).toBe(true);
    repo.sh('rm .git/hooks/pre-commit');
    expect((await prepare()).kind).toBe('prepared');
  });
});
