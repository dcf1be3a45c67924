import { readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { accept, makeRepository, type Repository } from '../../../test/support/git-repository.ts';
import { beside, inGuest } from './guest/guest.fixture.ts';
import { openGit } from './open.ts';
import type { Git } from './port.ts';

/** Whatever an agent plants for the next git on the host to run, wherever it can write: nothing of it runs. */

const HOOKS = [
  'applypatch-msg',
  'commit-msg',
  'fsmonitor-watchman',
  'post-checkout',
  'post-commit',
  'post-index-change',
  'post-rewrite',
  'pre-auto-gc',
  'pre-commit',
  'prepare-commit-msg',
  'reference-transaction',
];

/** Settings that make git run something: the trap is `$T <name>`. */
const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ['core.fsmonitor', '$T fsmonitor; false'],
  ['core.hooksPath', '$H'],
  ['core.pager', '$T pager'],
  ['core.editor', '$T editor'],
  ['core.askPass', '$T askpass'],
  ['core.sshCommand', '$T ssh'],
  ['core.gitProxy', '$T git-proxy'],
  ['core.alternateRefsCommand', '$T alternate-refs'],
  ['core.attributesFile', '$A'],
  ['core.repositoryFormatVersion', '1'],
  ['credential.helper', '!$T credential'],
  ['diff.external', '$T diff-external'],
  ['diff.evil.command', '$T diff-command'],
  ['diff.evil.textconv', '$T textconv'],
  ['merge.evil.driver', '$T merge'],
  ['filter.evil.clean', '$T clean; cat'],
  ['filter.evil.smudge', '$T smudge; cat'],
  ['filter.evil.process', '$T process'],
  ['gpg.program', '$T gpg'],
  ['interactive.diffFilter', '$T diff-filter'],
  ['sequence.editor', '$T sequence-editor'],
  ['submodule.sub.update', '!$T submodule'],
  ['trailer.sign.command', '$T trailer'],
  ['uploadpack.packObjectsHook', '$T pack-objects'],
  ['alias.status', '!$T alias'],
  ['alias.commit-tree', '!$T alias'],
  // A missing object is fetched from a remote, which is a command.
  ['protocol.ext.allow', 'always'],
  ['extensions.partialClone', 'evil'],
  ['remote.evil.promisor', 'true'],
  ['remote.evil.url', 'ext::sh -c $T% remote'],
];

const TREE = { 'a.txt': 'one\n', 'b.txt': 'two\n', '.gitattributes': '* filter=evil diff=evil merge=evil\n' };

/** Where git looks for settings and hooks, and what else is there. */
interface Place {
  readonly config: string;
  readonly hooks: string;
  readonly refs: string;
}

function plant(repo: Repository, place: Place): void {
  repo.write('../trap', `#!/bin/sh\ntouch "${beside(repo, 'sprung-')}$1"\n`, 0o755);
  const hooksPath = `${place.hooks}-elsewhere`;
  repo.write('../evil-attributes', '* filter=evil diff=evil\n');
  for (const folder of [place.hooks, hooksPath])
    for (const hook of HOOKS) {
      repo.sh(
        `mkdir -p '${folder}'; printf '#!/bin/sh\\n%s %s\\n' '${beside(repo, 'trap')}' hook-${hook} > '${folder}/${hook}'; chmod +x '${folder}/${hook}'`,
      );
    }
  const values = { $T: beside(repo, 'trap'), $H: hooksPath, $A: beside(repo, 'evil-attributes') };
  const lines = SETTINGS.map(([key, text]) => {
    const [section, ...rest] = key.split('.');
    const value = Object.entries(values).reduce((said, [name, path]) => said.replace(name, path), text);
    const middle = rest.length > 1 ? ` "${rest[0]}"` : '';
    return `[${section}${middle}]\n\t${rest.at(-1)} = "${value.replace(/[\\"]/g, '\\$&')}"\n`;
  });
  writeFileSync(beside(repo, 'included'), lines.join(''));
  repo.sh(
    `printf '[include]\\n\\tpath = %s\\n[includeIf "gitdir:**"]\\n\\tpath = %s\\n' '${beside(repo, 'included')}' '${beside(repo, 'included')}' >> '${place.config}'`,
  );
  repo.sh(
    `cat '${beside(repo, 'included')}' >> '${place.config}'; mkdir -p '${place.refs}/heads'; printf '%040d\\n' 7 > '${place.refs}/heads/ghost'`,
  );
}

function sprung(repo: Repository): readonly string[] {
  return readdirSync(`${repo.root}/..`).filter((name) => name.startsWith('sprung-'));
}

/** Every git call of ours that looks at the work tree or moves something. */
async function everything(git: Git, root: string): Promise<void> {
  const checkpoint = await git.checkpoint('main');
  writeFileSync(`${root}/a.txt`, 'agent\n');
  const after = await git.after(checkpoint);
  await git.dirty([]);
  await git.refreshIndex();
  await git.diffStat(checkpoint.tree, after.tree);
  await git.show(after.tree, 'a.txt');
  const rescue = await git.rescue({
    run: 'r1',
    iteration: 1,
    tree: after.tree,
    parents: [checkpoint.head],
    subject: 's',
    date: 1_700_000_000_000,
  });
  await git.rollback(checkpoint);
  await git.showRescue(rescue.name);
  await git.restoreRescue(rescue.name, { paths: ['a.txt'], except: [], force: false });
  await accept(git, checkpoint);
  await git.switchTo('another');
  writeFileSync(`${root}/a.txt`, 'dirt\n');
  await git.stash('dirt', []);
  await git.currentBranch();
  await git.defaultBranch();
}

test.each(['main', 'linked'])('in the real git dir of a %s work tree, put back before a commit', async (kind) => {
  const repo = await makeRepository(TREE);
  repo.run('worktree', 'add', '-q', '../linked');
  const root = kind === 'main' ? repo.root : beside(repo, 'linked');
  const git = await openGit(root, { env: repo.env });
  const trust = await git.snapshotTrust();
  const checkpoint = await git.checkpoint('main');
  writeFileSync(`${root}/a.txt`, 'agent\n');
  plant(repo, { config: `${repo.root}/.git/config`, hooks: `${repo.root}/.git/hooks`, refs: `${repo.root}/.git/refs` });
  // Before it is put back, only this is done.
  await git.tree();
  await git.after(checkpoint).catch(() => undefined);
  await git.restoreTrust(trust);
  repo.sh('rm .git/refs/heads/ghost');
  await git.rollback(checkpoint);
  await everything(git, root);
  expect(sprung(repo)).toEqual([]);
});

test('in a guest git dir', async () => {
  const repo = await makeRepository(TREE);
  const checkpoint = await repo.git.checkpoint('main');
  const guest = await repo.git.openGuest('lane-0');
  await inGuest(repo, guest, 'echo new > a.txt; git add -A; git commit -qm agent; git branch more');
  plant(repo, { config: `${guest.dir}/config`, hooks: `${guest.dir}/hooks`, refs: `${guest.dir}/refs` });
  const state = await repo.git.adoptGuest({ name: 'lane-0', run: 'r1', iteration: 1, checkpoint });
  expect(state?.kept).toEqual(['refs/ralph/guest/r1/1/refs/heads/more']);
  await repo.git.rollback(checkpoint);
  await everything(repo.git, repo.root);
  await repo.git.removeGuest('lane-0');
  expect(sprung(repo)).toEqual([]);
});

test('in the work tree: nested repositories, submodules, attributes, settings that look like git’s', async () => {
  const repo = await makeRepository(TREE);
  repo.sh(`
    git init -q ../module && git -C ../module commit -q --allow-empty -m m
    git -c protocol.file.allow=always submodule --quiet add ../module sub && git commit -qm sub
    git config submodule.recurse true`);
  const git = await openGit(repo.root, { env: repo.env });
  repo.sh(
    'rm sub/.git; git init -q sub; git -C sub commit -q --allow-empty -m own; touch sub/dirt; git init -q nested; touch nested/n',
  );
  for (const nested of ['sub', 'nested'].map((name) => `${repo.root}/${name}/.git`))
    plant(repo, { config: `${nested}/config`, hooks: `${nested}/hooks`, refs: `${nested}/refs` });
  plant(repo, { config: `${repo.root}/.gitconfig`, hooks: `${repo.root}/hooks`, refs: `${repo.root}/refs` });
  repo.sh(`printf '\\tignore = none\\n' >> .gitmodules`);
  await everything(git, repo.root);
  expect(sprung(repo)).toEqual([]);
});

test('a .gitmodules that git refuses, or that hides submodules, stops no iteration and hides nothing', async () => {
  const repo = await makeRepository(TREE);
  repo.sh(`git init -q ../module && git -C ../module commit -q --allow-empty -m m
    git -c protocol.file.allow=always submodule --quiet add ../module sub && git commit -qm sub
    git -C sub commit -q --allow-empty -m more && git commit -qm moved sub`);
  for (const line of ['update = !touch sprung', 'ignore = all']) {
    const git = await openGit(repo.root, { env: repo.env });
    const checkpoint = await git.checkpoint('main');
    repo.sh(`printf '\\t${line}\\n' >> .gitmodules`);
    expect(await git.changes('HEAD^', 'HEAD')).toEqual([{ path: 'sub', status: 'modified' }]);
    const after = await git.after(checkpoint);
    await git.diffStat('HEAD^', after.tree);
    await git.rollback(checkpoint);
  }
});

test('the traps work: a git of the person’s would run them', async () => {
  const repo = await makeRepository(TREE);
  plant(repo, { config: `${repo.root}/.git/config`, hooks: `${repo.root}/.git/hooks`, refs: `${repo.root}/.git/refs` });
  repo.sh(
    '(echo x > a.txt; git add a.txt; git diff HEAD; git cat-file -e 0000000000000000000000000000000000000007; :) >&2',
  );
  expect(sprung(repo)).toEqual(expect.arrayContaining(['sprung-fsmonitor', 'sprung-remote', 'sprung-process']));
});
