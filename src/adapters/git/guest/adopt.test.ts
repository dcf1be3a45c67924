import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeRepository, type Repository } from '../../../../test/support/git-repository.ts';
import { openGit } from '../open.ts';
import type { Guest } from '../port.ts';
import { beside, inGuest } from './guest.fixture.ts';

const AT = { name: 'lane-0', run: 'r1', iteration: 3 };
const KEPT = 'refs/ralph/guest/r1/3';

/** A repository with a second branch and a tag, its checkpoint, and what an agent's command in the guest led to. */
async function adopted(command: string | ((repo: Repository, guest: Guest) => void)) {
  const repo = await makeRepository({ 'a.txt': 'one\n', 'dir/b.txt': 'two\n' });
  repo.run('branch', 'side');
  repo.run('tag', '-a', 'v1', '-m', 'first');
  const checkpoint = await repo.git.checkpoint('main');
  const before = repo.run('for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash').trim();
  const guest = await repo.git.openGuest(AT.name);
  if (typeof command === 'string') await inGuest(repo, guest, command);
  else command(repo, guest);
  const adopt = () => repo.git.adoptGuest({ ...AT, checkpoint });
  return { repo, checkpoint, guest, before, adopt, state: await adopt() };
}

const COMMIT = 'echo new > a.txt; git add -A; git commit -qm agent';

test('commits come over, and HEAD is told; nothing of the repository moves', async () => {
  const { repo, checkpoint, state, adopt } = await adopted(`${COMMIT}; git commit -q --allow-empty -m second`);
  expect(state).toMatchObject({ branch: 'refs/heads/main', kept: [], problems: [] });
  expect(repo.run('log', '--format=%s', state?.head ?? '')).toBe('second\nagent\nstart\n');
  expect(repo.run('show', `${state?.head}:a.txt`)).toBe('new\n');
  expect(repo.run('rev-parse', 'HEAD').trim()).toBe(checkpoint.head);
  expect(await adopt()).toEqual(state);
  expect(repo.run('fsck', '--strict', '--no-dangling')).toBe('');
});

test('a hundred commits come as one pack', async () => {
  const { repo, state } = await adopted('for i in $(seq 60); do echo $i > a.txt; git commit -qam $i; done');
  expect(repo.run('rev-list', '--count', state?.head ?? '')).toBe('61\n');
  expect(repo.run('count-objects', '-v')).toContain('packs: 1\n');
});

test('refs that it made or moved are kept under names of their own, deletions and its claims on ours are not', async () => {
  const { repo, state, before } = await adopted(`
    git checkout -q -b new; ${COMMIT}; git tag mine; git tag -a -m annotated theirs; git branch -f side; git tag -d v1
    echo stashed > dir/b.txt; git stash -q; git update-ref refs/ralph/rescue/r0/1-1 HEAD; git pack-refs --all`);
  expect(state).toMatchObject({ branch: 'refs/heads/new', problems: [] });
  expect(state?.kept).toEqual(
    ['refs/heads/side', 'refs/stash', 'refs/tags/mine', 'refs/tags/theirs'].map((name) => `${KEPT}/${name}`),
  );
  expect(repo.run('show', `${KEPT}/refs/stash:dir/b.txt`)).toBe('stashed\n');
  expect(repo.run('for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash').trim()).toBe(before);
  expect(repo.run('for-each-ref', 'refs/ralph/rescue')).toBe('');
});

test.each([
  ['git checkout -q --detach; git commit -q --allow-empty -m loose', { branch: null, problems: [] }],
  ['git checkout -q --orphan lone', { branch: null, problems: [] }],
  ['git checkout -q --orphan lone; git commit -qm root', { branch: 'refs/heads/lone', problems: [] }],
])('HEAD elsewhere: %s', async (command, expected) => {
  const { repo, state } = await adopted(command);
  expect(state).toMatchObject(expected);
  expect(repo.run('cat-file', '-t', state?.head ?? '')).toBe('commit\n');
});

test('commits of a repository with SHA-256, and of a shallow one, come over', async () => {
  const repo = await makeRepository();
  repo.sh(`git commit -q --allow-empty -m two; git clone -q --depth 1 "file://$PWD" ../shallow
    mkdir ../sha256; cd ../sha256; git init -q --object-format=sha256 .; git commit -q --allow-empty -m first`);
  for (const name of ['shallow', 'sha256']) {
    const git = await openGit(beside(repo, name), { env: repo.env });
    const checkpoint = await git.checkpoint('main');
    const guest = await git.openGuest(AT.name);
    await inGuest({ ...repo, root: git.repo.root }, guest, 'echo x > x; git add x; git commit -qm agent');
    const state = await git.adoptGuest({ ...AT, checkpoint });
    expect(state?.problems).toEqual([]);
    expect(repo.sh(`cd ../${name}; git show ${state?.head}:x`)).toBe('x\n');
  }
});

test('a ref of the person’s that leads nowhere does not keep commits out', async () => {
  const repo = await makeRepository();
  repo.write('.git/refs/heads/ghost', `${'7'.padStart(40, '0')}\n`);
  const checkpoint = await repo.git.checkpoint('main');
  const guest = await repo.git.openGuest(AT.name);
  await inGuest(repo, guest, COMMIT);
  expect(await repo.git.adoptGuest({ ...AT, checkpoint })).toMatchObject({ problems: [] });
});

test('files that git-lfs put aside come over when they are what their names say', async () => {
  const { repo } = await adopted(`
    sum=$(printf big | { sha256sum || shasum -a 256; } | cut -d ' ' -f 1)
    mkdir -p "$GIT_DIR/lfs/objects/aa/bb" "$GIT_DIR/lfs/objects/3f/e3"
    printf big > "$GIT_DIR/lfs/objects/aa/bb/$sum"; printf other > "$GIT_DIR/lfs/objects/3f/e3/$sum"
    ln -s /etc/hostname "$GIT_DIR/lfs/objects/aa/bb/link"`);
  expect(repo.sh('cd .git/lfs/objects && find . -type f -exec cat {} +')).toBe('big');
});

test('names with line breaks there lead to no other file', async () => {
  const { repo } = await adopted(`
    sum=$(printf big | { sha256sum || shasum -a 256; } | cut -d ' ' -f 1); printf big > "../$sum"
    dir="$GIT_DIR/lfs/objects/aa/bb/$(printf 'x\\ny')"; dir="\${dir%y}$(cd .. && pwd)"
    mkdir -p "$dir" && touch "$dir/$sum"`);
  expect(repo.sh('cd .. && cat $(printf big | { sha256sum || shasum -a 256; } | cut -d " " -f 1)')).toBe('big');
});

describe('what an agent may leave behind', () => {
  const damage: readonly (readonly [what: string, command: string])[] = [
    ['no HEAD', 'rm "$GIT_DIR/HEAD"'],
    ['garbage in HEAD', 'head -c 3000 /dev/zero > "$GIT_DIR/HEAD"'],
    ['a link as HEAD', 'echo ref: refs/heads/side > x; ln -sf "$PWD/x" "$GIT_DIR/HEAD"'],
    ['a FIFO as HEAD', 'rm "$GIT_DIR/HEAD"; mkfifo "$GIT_DIR/HEAD"'],
    ['a FIFO as packed refs', 'rm "$GIT_DIR/packed-refs"; mkfifo "$GIT_DIR/packed-refs"'],
    ['a HEAD that names no ref', 'echo "ref: ../../config" > "$GIT_DIR/HEAD"'],
    ['nothing', 'rm -rf "$GIT_DIR"/*'],
    ['no objects', `${COMMIT}; rm -rf "$GIT_DIR/objects"`],
    ['objects that are a link', `${COMMIT}; mv "$GIT_DIR/objects" o; ln -s "$PWD/o" "$GIT_DIR/objects"`],
    ['a missing blob', `${COMMIT}; rm "$GIT_DIR/objects/$(git rev-parse HEAD:a.txt | sed 's,..,&/,')"`],
    [
      'a corrupted tree',
      `${COMMIT}; f="$GIT_DIR/objects/$(git rev-parse HEAD^{tree} | sed 's,..,&/,')"; chmod u+w "$f"; echo x > "$f"`,
    ],
    [
      'a FIFO as an object',
      `${COMMIT}; f="$GIT_DIR/objects/$(git rev-parse HEAD | sed 's,..,&/,')"; rm -f "$f"; mkfifo "$f"`,
    ],
    [
      '.git in a tree',
      `t=$(printf '100644 blob %s\\t.git\\n' $(git rev-parse HEAD:a.txt) | git mktree); git reset -q --soft $(git commit-tree -m evil -p HEAD $t)`,
    ],
    ['an id of no object as HEAD', 'printf "%040d\\n" 7 > "$GIT_DIR/HEAD"'],
    ['a blob as HEAD', 'blob=$(git rev-parse HEAD:a.txt); echo "$blob" > "$GIT_DIR/HEAD"'],
  ];
  test.each(damage)('%s: the checkpoint’s HEAD holds, and somebody is told', async (_, command) => {
    const { repo, checkpoint, state, before } = await adopted(command);
    expect(state).toMatchObject({ head: checkpoint.head, branch: 'refs/heads/main', kept: [] });
    expect(state?.problems).not.toEqual([]);
    expect(repo.run('for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash').trim()).toBe(before);
    expect(repo.run('fsck', '--strict', '--no-dangling')).toBe('');
  });

  const harmless: readonly (readonly [what: string, command: string])[] = [
    [
      'FIFOs, links and directories among refs',
      'mkfifo "$GIT_DIR/refs/heads/f"; ln -s / "$GIT_DIR/refs/all"; mkdir -p "$GIT_DIR/refs/heads/d"',
    ],
    [
      'names that git does not allow',
      'for n in a..b x.lock "sp ace" @{1} "-q*"; do git rev-parse HEAD > "$GIT_DIR/refs/heads/$n"; done',
    ],
    [
      'grafts and replaced objects',
      'echo "$(git rev-parse HEAD)" > "$GIT_DIR/info/grafts"; rm -rf "$GIT_DIR/refs/replace"',
    ],
    ['objects borrowed from elsewhere', 'echo /etc > "$GIT_DIR/objects/info/alternates"'],
    [
      'thousands of refs to the same',
      'h=$(git rev-parse HEAD); mkdir -p "$GIT_DIR/refs/heads/x"; for i in $(seq 3000); do echo $h > "$GIT_DIR/refs/heads/x/$i"; done',
    ],
  ];
  test.each(harmless)('%s: commits come over all the same', async (_, command) => {
    const { repo, state } = await adopted(`${COMMIT}; ${command}`);
    expect(repo.run('log', '-1', '--format=%s', state?.head ?? '')).toBe('agent\n');
    expect(state?.kept.length).toBeLessThanOrEqual(100);
  });

  test('one broken ref does not keep the others out', async () => {
    const { state } = await adopted(
      'git checkout -q -b broken; echo b > a.txt; git commit -qam b; rm "$GIT_DIR/objects/$(git rev-parse HEAD:a.txt | sed "s,..,&/,")"; git update-ref refs/heads/good $(git commit-tree -m good -p main main^{tree}); git symbolic-ref HEAD refs/heads/main',
    );
    expect(state?.kept).toEqual([`${KEPT}/refs/heads/good`]);
    expect(state?.problems).toHaveLength(1);
  });

  test('a ref below another, and one that differs in case alone, do not keep the rest out', async () => {
    const { state } = await adopted((repo, { dir }) => {
      const head = repo.run('rev-parse', 'HEAD').trim();
      writeFileSync(
        `${dir}/packed-refs`,
        ['a', 'a/b', 'A', 'c'].map((name) => `${head} refs/heads/${name}\n`).join(''),
      );
      mkdirSync(`${dir}/refs/heads`, { recursive: true });
      writeFileSync(`${dir}/refs/heads/main`, `${head}\n`);
    });
    expect(state?.kept).toEqual([`${KEPT}/refs/heads/a`, `${KEPT}/refs/heads/c`]);
  });
});

test('without a guest there is nothing to adopt', async () => {
  const repo = await makeRepository();
  const checkpoint = await repo.git.checkpoint('main');
  expect(await repo.git.adoptGuest({ ...AT, checkpoint })).toBeNull();
  expect(existsSync(`${repo.git.repo.stateDir}/guest`)).toBe(false);
});
