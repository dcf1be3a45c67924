import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { accept, makeRepository, type Repository } from '../../../test/support/git-repository.ts';
import { neutraliseDrivers } from './environment.ts';
import { beside } from './guest/guest.fixture.ts';
import { openGit } from './open.ts';

/** Programs of the person's own settings that lie where agents write. */

const GROUND = {
  root: '/w/project',
  home: '/home/una',
  gitDirs: ['/w/project/.git'],
  inTree: (path: string) => path === '/w/project' || path.startsWith('/w/project/'),
  isThere: (path: string) => ['/w/project/tools/clean.sed', '/w/project/clean'].includes(path),
};

/** Whether a filter of the person's with this command is not run. */
const isLeftOut = (value: string) =>
  neutraliseDrivers([{ origin: 'command line:', key: 'filter.mine.clean', value }], GROUND).left.length > 0;

test.each([
  './scripts/clean.sh %f',
  'scripts/clean.sh',
  'node tools/clean.js',
  'node clean.js',
  'sh -c "./x"',
  'sh -e clean.sh',
  '!/w/project/helper',
  '"/w/project/a b/x"',
  'sed -f tools/clean.sed',
  '"$(git rev-parse --show-toplevel)"/x',
  '$PWD/x',
  'cd sub && ../x',
  'npx prettier --stdin',
  '/usr/bin/python3 -m nbstripout',
  'PYTHON=./x y',
  'cat | ./x',
])('%s leads into the work tree', (value) => expect(isLeftOut(value)).toBe(true));

test.each([
  'git-lfs clean -- %f',
  'git-lfs filter-process',
  '"git-crypt" clean',
  '"/usr/bin/git-crypt" smudge',
  "sed -e 's/secret/xxx/'",
  "sed 's/./x/;s/$/y/'",
  "awk '{print}'",
  "perl -pe 's/a/b/'",
  '~/bin/clean %f',
  '$HOME/bin/clean',
  '/w/project-tools/clean',
  '../tools/clean',
  'node ../tools/clean.js',
  'sh -c "cat; echo x"',
  'ssh -i ~/.ssh/key -o BatchMode=yes',
  '!gh auth git-credential',
  'store',
  'gpg2',
  '',
])('%s does not', (value) => expect(isLeftOut(value)).toBe(false));

const TRAP = `#!/bin/sh\ntouch "$HOME/sprung-"\ncat\n`;
const sprung = (repo: Repository) => existsSync(beside(repo, 'sprung-'));

test('a clean filter of the person’s that is a script of the tree does not run, and the bytes are the agent’s', async () => {
  const repo = await makeRepository({
    '.gitattributes': '*.txt filter=mine\n',
    'clean.sh': '#!/bin/sh\ncat\n',
    'a.txt': '1\n',
  });
  repo.sh('git config --global filter.mine.clean "sh ./clean.sh" && git config --global filter.mine.required true');
  const git = await openGit(repo.root, { env: repo.env });
  const checkpoint = await git.checkpoint('main');
  repo.write('clean.sh', TRAP);
  repo.write('a.txt', 'agent\n');
  const commit = await accept(git, checkpoint);
  expect(repo.run('cat-file', 'blob', `${commit}:a.txt`)).toBe('agent\n');
  expect(sprung(repo)).toBe(false);
});

test('a clean filter outside of the tree runs as ever', async () => {
  const repo = await makeRepository({ '.gitattributes': '*.txt filter=mine\n', 'a.txt': '1\n' });
  repo.write('../bin/upper', '#!/bin/sh\ntr a-z A-Z\n', 0o755);
  repo.sh('git config --global filter.mine.clean "~/bin/upper %f" && git config --global filter.mine.required true');
  const git = await openGit(repo.root, { env: repo.env });
  const checkpoint = await git.checkpoint('main');
  repo.write('a.txt', 'agent\n');
  const commit = await accept(git, checkpoint);
  expect(repo.run('cat-file', 'blob', `${commit}:a.txt`)).toBe('AGENT\n');
});

test('settings that are included from a file of the tree start nothing, and the file comes back as it was', async () => {
  const repo = await makeRepository({
    '.gitattributes': '*.txt filter=mine\n',
    'a.txt': '1\n',
    'shared.ini': '[filter "other"]\n\tclean = cat\n',
  });
  repo.sh('git config include.path ../shared.ini');
  const git = await openGit(repo.root, { env: repo.env });
  const trust = await git.snapshotTrust();
  const checkpoint = await git.checkpoint('main');
  repo.write('shared.ini', `[filter "mine"]\n\tclean = touch '${beside(repo, 'sprung-')}'; cat\n`);
  repo.write('a.txt', 'agent\n');
  expect(await git.restoreTrust(trust)).toEqual([`${repo.root}/shared.ini`]);
  await accept(git, checkpoint);
  // And where it was there from the start.
  repo.write('shared.ini', `[filter "mine"]\n\tclean = touch '${beside(repo, 'sprung-')}'; cat\n`);
  const later = await openGit(repo.root, { env: repo.env });
  const second = await later.checkpoint('main');
  repo.write('a.txt', 'again\n');
  await accept(later, second);
  expect(sprung(repo)).toBe(false);
});

test('a push runs no hook of the tree, and none goes to a program there that stands for the remote', async () => {
  const repo = await makeRepository({ '.husky/pre-push': TRAP });
  repo.sh(
    'chmod +x .husky/pre-push; git config core.hooksPath .husky; git init -q --bare ../remote.git; git remote add origin ../remote.git',
  );
  const git = await openGit(repo.root, { env: repo.env });
  await git.push({ remote: 'origin', branch: 'main', env: repo.env, terminal: false });
  expect(repo.run('ls-remote', 'origin')).toContain('refs/heads/main');
  repo.write('receive.sh', TRAP);
  repo.sh('git config remote.origin.receivepack "sh ./receive.sh"');
  const later = await openGit(repo.root, { env: repo.env });
  await expect(later.push({ remote: 'origin', branch: 'main', env: repo.env, terminal: false })).rejects.toThrow(
    /push/,
  );
  expect(sprung(repo)).toBe(false);
});

test('of several login helpers those outside of the tree stay', () => {
  const told = neutraliseDrivers(
    [
      { origin: 'file:/home/una/.gitconfig', key: 'credential.helper', value: '/home/una/bin/helper' },
      { origin: 'file:.git/config', key: 'credential.helper', value: '!./evil.sh' },
    ],
    GROUND,
  );
  expect(told.instead).toEqual([
    ['credential.helper', ''],
    ['credential.helper', '/home/una/bin/helper'],
  ]);
  expect(told.left).toEqual(['credential.helper']);
});
