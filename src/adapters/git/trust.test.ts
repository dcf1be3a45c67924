import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accept, makeRepository } from '../../../test/support/git-repository.ts';

test('nothing an agent plants in the git dir is run by our git', async () => {
  const repo = await makeRepository({ 'a.txt': 'one\n', '.gitattributes': '*.txt filter=evil diff=evil\n' });
  const trust = await repo.git.snapshotTrust();
  const checkpoint = await repo.git.checkpoint('main');
  const trap = `touch ${join(repo.root, '..', 'sprung')}`;
  repo.run('config', 'core.fsmonitor', `${trap}; false`);
  repo.run('config', 'alias.status', `!${trap}`);
  repo.run('config', 'filter.evil.clean', `${trap}; cat`);
  repo.run('config', 'filter.evil.smudge', `${trap}; cat`);
  repo.run('config', 'filter.evil.process', trap);
  repo.run('config', 'diff.evil.textconv', trap);
  repo.run('config', 'diff.external', trap);
  repo.run('config', 'core.hooksPath', '.git/planted');
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout'])
    repo.write(`.git/planted/${hook}`, `#!/bin/sh\n${trap}\n`, 0o755);
  repo.write('.git/hooks/pre-commit', `#!/bin/sh\n${trap}\n`, 0o755);
  repo.write('.git/info/attributes', '* filter=evil\n');
  repo.write('a.txt', 'agent\n');

  await repo.git.after(checkpoint);
  await repo.git.rollback(checkpoint);
  repo.write('a.txt', 'agent\n');
  const changed = await repo.git.restoreTrust(trust);
  expect(changed.map((path) => path.slice(repo.root.length + 1))).toEqual([
    '.git/config',
    '.git/hooks/pre-commit',
    '.git/info/attributes',
  ]);
  expect(await repo.git.restoreTrust(trust)).toEqual([]);
  await accept(repo.git, checkpoint, { hooks: true });
  await repo.git.diffStat(checkpoint.head, 'HEAD');
  await repo.git.dirty([]);
  expect(existsSync(join(repo.root, '..', 'sprung'))).toBe(false);
});

test("the user's settings, hooks and links come back as they were", async () => {
  const repo = await makeRepository();
  repo.write('.git/hooks/pre-push', '#!/bin/sh\n', 0o755);
  repo.write('../shared-hook', '#!/bin/sh\necho user\n', 0o755);
  repo.sh('ln -s ../../../shared-hook .git/hooks/commit-msg');
  const trust = JSON.parse(JSON.stringify(await repo.git.snapshotTrust()));
  repo.sh(
    'rm .git/hooks/pre-push .git/hooks/commit-msg .git/config; echo evil > .git/hooks/commit-msg; chmod 640 .git/info/exclude',
  );
  expect(await repo.git.restoreTrust(trust)).toHaveLength(4);
  expect(
    repo.sh(
      '.git/hooks/commit-msg && test -x .git/hooks/pre-push && test -L .git/hooks/commit-msg && git config core.bare',
    ),
  ).toBe('user\nfalse\n');
});

test.each([
  ['nonsense', 'echo nonsense > .git/HEAD'],
  ['nothing', ': > .git/HEAD'],
  ['no file at all', 'rm .git/HEAD'],
  ['a folder', 'rm .git/HEAD && mkdir .git/HEAD'],
])('a HEAD that an agent made %s comes back, since without it there is no repository', async (_, spoil) => {
  const repo = await makeRepository();
  const trust = await repo.git.snapshotTrust();
  repo.sh(spoil);
  expect(await repo.git.restoreTrust(trust)).toEqual([join(repo.root, '.git/HEAD')]);
  expect(repo.run('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main');
});

test('a HEAD that an agent moved stays for the roll-back', async () => {
  const repo = await makeRepository();
  const trust = await repo.git.snapshotTrust();
  repo.run('checkout', '-q', '--detach');
  expect(await repo.git.restoreTrust(trust)).toEqual([]);
  repo.run('checkout', '-q', '-b', 'elsewhere');
  expect(await repo.git.restoreTrust(trust)).toEqual([]);
});
