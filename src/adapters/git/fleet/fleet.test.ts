import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../../../test/support/git-repository.ts';
import type { FleetCheckout } from './open.ts';
import { openFleetGit } from './open.ts';
import { RemoteRefusal } from './remote.ts';

const STREAM = { stream: 'PRD-1', branch: 'ralph/prd-1' };

/** A bare remote with the branch of a stream, and workers with folders of their own. */
async function makeFleet() {
  const repo = await makeRepository({ 'a.txt': 'one\n', '.gitignore': '*.log\n' });
  repo.sh('git branch ralph/prd-1 && git clone -q --bare . ../remote.git');
  const remote = join(repo.root, '../remote.git');
  const worker = (name: string) =>
    openFleetGit({ remote, folder: join(repo.root, `../${name}`), env: repo.env, worker: name });
  const refs = () => repo.sh("git --git-dir ../remote.git for-each-ref --format='%(refname)'").trim().split('\n');
  const commitIn = (checkout: FleetCheckout | null, text: string) => {
    writeFileSync(join(checkout?.root ?? '', 'a.txt'), text);
    return repo
      .sh(
        `cd '${checkout?.root}' && git -c user.name=U -c user.email=u@e.org commit -qam '${text}' && git rev-parse HEAD`,
      )
      .trim();
  };
  return { repo, remote, worker, refs, commitIn };
}

test('what one worker pushed the next one finds: branch, files of the state, and a work tree that is exactly that', async () => {
  const { repo, worker, commitIn } = await makeFleet();
  const one = await worker('one');
  const first = await one.checkOut(STREAM);
  expect(first?.files).toEqual({});
  const head = commitIn(first, 'two');
  const files = { 'ledger.jsonl': '{"n":1}\n', 'outcome.json': '{"n":1}' };
  expect(await one.push(STREAM, first?.base ?? { head: '', state: '' }, files)).toBe('pushed');
  const two = await worker('two');
  const second = await two.checkOut(STREAM);
  expect(second).toMatchObject({ files, base: { head } });
  expect(repo.sh(`cat '${second?.root}/a.txt' && git -C '${second?.root}' status --porcelain --branch`)).toBe(
    'two## ralph/prd-1\n',
  );
  expect(await two.readState(STREAM)).toEqual(files);
});

test('of workers that push the same turn exactly one wins, and the work of the others is kept at the remote', async () => {
  const { worker, refs, commitIn } = await makeFleet();
  const workers = await Promise.all(['one', 'two', 'three', 'four'].map(worker));
  const checkouts = await Promise.all(workers.map((git) => git.checkOut(STREAM)));
  for (const [at, checkout] of checkouts.entries()) commitIn(checkout, `by ${at}`);
  const answers = await Promise.all(
    workers.map((git, at) => {
      const base = checkouts[at]?.base ?? { head: '', state: '' };
      return git.push(STREAM, base, { 'outcome.json': `{"n":1,"by":${at}}` });
    }),
  );
  expect(answers.toSorted()).toEqual(['fenced', 'fenced', 'fenced', 'pushed']);
  const winner = answers.indexOf('pushed');
  const after = await Promise.all(workers.map((git) => git.checkOut(STREAM)));
  for (const checkout of after) expect(checkout?.files).toEqual({ 'outcome.json': `{"n":1,"by":${winner}}` });
  expect(refs().filter((ref) => ref.startsWith('refs/ralph/fleet/PRD-1/lost/'))).toHaveLength(3);
});

test('a push whose answer was lost is found to have been done', async () => {
  const { worker, commitIn } = await makeFleet();
  const one = await worker('one');
  const checkout = await one.checkOut(STREAM);
  commitIn(checkout, 'two');
  const base = checkout?.base ?? { head: '', state: '' };
  expect(await one.push(STREAM, base, { 'outcome.json': '1' })).toBe('pushed');
  expect(await one.push(STREAM, base, { 'outcome.json': '1' })).toBe('pushed');
  expect(await one.push(STREAM, base, { 'outcome.json': '2' })).toBe('fenced');
});

test('a turn without a commit pushes its state alone, under the same fence', async () => {
  const { worker } = await makeFleet();
  const [one, two] = [await worker('one'), await worker('two')];
  const [mine, theirs] = [await one.checkOut(STREAM), await two.checkOut(STREAM)];
  if (mine === null || theirs === null) throw new Error('no branch');
  expect(await one.push(STREAM, mine.base, { 'outcome.json': '1' })).toBe('pushed');
  expect(await two.push(STREAM, theirs.base, { 'outcome.json': '2' })).toBe('fenced');
});

test('what a dead worker left is kept before its work tree is put right, untracked files as well', async () => {
  const { repo, worker, refs } = await makeFleet();
  const one = await worker('one');
  const checkout = await one.checkOut(STREAM);
  writeFileSync(join(checkout?.root ?? '', 'half.txt'), 'half\n');
  writeFileSync(join(checkout?.root ?? '', 'x.log'), 'ignored\n');
  const again = await (await worker('one')).checkOut(STREAM);
  expect(again?.root).toBe(checkout?.root);
  const [lost] = refs().filter((ref) => ref.includes('/lost/'));
  expect(repo.sh(`git --git-dir ../remote.git show ${lost}:half.txt; cd '${again?.root}'; ls`)).toBe(
    'half\na.txt\nx.log\n',
  );
});

test('a clean work tree leaves nothing at the remote, and work under way has a ref of its own', async () => {
  const { repo, worker, refs } = await makeFleet();
  const one = await worker('one');
  const checkout = await one.checkOut(STREAM);
  await one.checkOut(STREAM);
  expect(refs()).toEqual(['refs/heads/main', 'refs/heads/ralph/prd-1']);
  await one.pushWip(STREAM, repo.sh(`git -C '${checkout?.root}' rev-parse 'HEAD^{tree}'`).trim());
  expect(refs()).toContain('refs/ralph/fleet/PRD-1/wip');
  await one.pushWip(STREAM, 'no tree');
  await one.forget(STREAM);
  expect((await one.checkOut(STREAM))?.base).toEqual(checkout?.base);
});

test('a work tree that is forgotten is gone, and what only it held is kept at the remote', async () => {
  const { repo, worker, refs } = await makeFleet();
  repo.sh('git push -q ../remote.git main:ralph/prd-2 main:ralph/prd-3');
  const one = await worker('one');
  const streams = [STREAM, { stream: 'PRD-2', branch: 'ralph/prd-2' }, { stream: 'PRD-3', branch: 'ralph/prd-3' }];
  const roots: string[] = [];
  for (const stream of streams) roots.push((await one.checkOut(stream))?.root ?? '');
  writeFileSync(join(roots[1] ?? '', 'half.txt'), 'half\n');
  writeFileSync(join(roots[2] ?? '', 'half.txt'), 'half\n');
  repo.sh('git --git-dir ../remote.git update-ref -d refs/heads/ralph/prd-3');
  expect(await one.trees()).toEqual(expect.arrayContaining(streams));
  for (const stream of streams) expect(await one.forget(stream)).toBe(true);
  expect(await one.trees()).toEqual([]);
  expect(roots.filter(existsSync)).toEqual([]);
  expect(refs().filter((ref) => ref.includes('/lost/'))).toEqual([expect.stringContaining('PRD-2')]);
  expect((await one.checkOut(STREAM))?.root).toBe(roots[0]);
});

test('many streams at once share a clone', async () => {
  const { repo, worker } = await makeFleet();
  const streams = Array.from({ length: 12 }, (_, at) => ({ stream: `S-${at}`, branch: `ralph/s-${at}` }));
  for (const { branch } of streams) repo.sh(`git push -q ../remote.git main:${branch}`);
  const one = await worker('one');
  const results = await Promise.all(
    streams.map(async (stream) => {
      const checkout = await one.checkOut(stream);
      return checkout && one.push(stream, checkout.base, { 'outcome.json': stream.stream });
    }),
  );
  expect(new Set(results)).toEqual(new Set(['pushed']));
});

test('history that was rewritten is never pushed', async () => {
  const { repo, worker } = await makeFleet();
  const one = await worker('one');
  const checkout = await one.checkOut(STREAM);
  if (checkout === null) throw new Error('no branch');
  repo.sh(`cd '${checkout.root}' && git -c user.name=U -c user.email=u@e.org commit -q --amend -m other`);
  await expect(one.push(STREAM, checkout.base, {})).rejects.toThrow('does not build on');
});

test('settings and hooks that an agent planted in the clone do not reach what is pushed', async () => {
  const { repo, worker, commitIn } = await makeFleet();
  const one = await worker('one');
  const checkout = await one.checkOut(STREAM);
  if (checkout === null) throw new Error('no branch');
  commitIn(checkout, 'two');
  repo.sh(
    `git --git-dir '${one.clone}' config url.file:///nowhere.insteadOf '${repo.root}' && git --git-dir '${one.clone}' config push.followTags true`,
  );
  repo.sh(
    `mkdir -p '${one.clone}/hooks' && printf '#!/bin/sh\ntouch "$HOME/ran"\n' > '${one.clone}/hooks/pre-push' && chmod +x '${one.clone}/hooks/pre-push'`,
  );
  expect(await one.push(STREAM, checkout.base, {})).toBe('pushed');
  expect(repo.sh('ls ..')).not.toContain('ran');
});

test('no such branch, no such remote, a remote that is gone', async () => {
  const { repo, worker } = await makeFleet();
  const one = await worker('one');
  expect(await one.checkOut({ stream: 'PRD-9', branch: 'ralph/prd-9' })).toBeNull();
  expect(await one.readState({ stream: 'PRD-9', branch: 'ralph/prd-9' })).toBeNull();
  const missing = openFleetGit({
    remote: '/nowhere/at-all.git',
    folder: join(repo.root, '../x'),
    env: repo.env,
    worker: 'x',
  });
  await expect(missing).rejects.toMatchObject({ transient: false });
  const closed = openFleetGit({
    remote: 'git://127.0.0.1:1/x.git',
    folder: join(repo.root, '../x'),
    env: repo.env,
    worker: 'x',
  });
  await expect(closed).rejects.toMatchObject({ transient: true });
  repo.sh('mv ../remote.git ../away.git');
  await expect(one.checkOut(STREAM)).rejects.toThrow(RemoteRefusal);
});
