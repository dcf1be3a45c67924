// @module-tag long
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { makeShop, type Shop } from '../support/clones.ts';

/* One backlog for a folder of clones: each repository has its own branch and checks, and all land, or none. */

let shop: Shop;
afterEach(() => shop?.remove());

const heads = () => [shop.git('api', 'rev-parse', 'main'), shop.git('web', 'rev-parse', 'main')];
const files = () => [shop.git('api', 'ls-files', 'src'), shop.git('web', 'ls-files', 'src')];
const clean = () => [shop.git('api', 'status', '--porcelain'), shop.git('web', 'status', '--porcelain')];
const record = () => existsSync(join(shop.root, '.ralph/landing.json'));
const merge = (env: Readonly<Record<string, string>> = {}) => shop.ralph(['stream', 'merge'], env);

interface Copy {
  readonly id: string;
  readonly passes: boolean;
}
const states = (path: string) =>
  (JSON.parse(shop.read(path)) as { userStories: readonly Copy[] }).userStories.map(({ id, passes }) => [id, passes]);

/** Where all stories are done: made once, and for each test as it was then. */
let done: (ReturnType<Shop['keep']> & { readonly shop: Shop }) | undefined;
afterAll(() => done?.drop());

async function worked(): Promise<void> {
  if (done) {
    done.back();
    shop = done.shop;
    return;
  }
  shop = makeShop();
  const { code, stdout, stderr } = await shop.start('--skip-review');
  expect([code, stderr], stdout).toEqual([0, '']);
  done = { shop, ...shop.keep() };
}

test('stories are worked on in their repositories, in the order of what they depend on, and land together', {
  tags: ['promise'],
}, async () => {
  shop = makeShop();
  const before = heads();
  const { code, stdout, stderr } = await shop.start();
  expect([code, stderr], stdout).toEqual([0, '']);
  const begun = [...stdout.matchAll(/(\w+) +│ .*implement · (US-\d+)/g)].map(([, repo, id]) => `${repo} ${id}`);
  expect(begun).toEqual(['api US-001', 'web US-002', 'api US-003']);
  expect(stdout).toContain('3 of 3 stories done; next: ralph stream merge');
  // The checkouts and their branches did not change.
  expect([heads(), clean()]).toEqual([before, ['', '']]);
  expect(states('ralph/tasks.json')).toEqual([
    ['US-001', true],
    ['US-002', true],
    ['US-003', true],
  ]);
  expect(states('web/.ralph/worktrees/shop/ralph/tasks.json')).toEqual([['US-002', true]]);
  expect(shop.log('web', 'ralph/prices')).toMatch(/^review\(US-002\): approved \(.*\n.*\n.*\nweb begins \(HEAD/);

  const merged = await merge();
  expect([merged.code, merged.stdout], merged.stderr).toEqual([
    0,
    expect.stringContaining('merged together: api, web'),
  ]);
  expect(shop.log('api', 'main')).toBe(
    'feat(US-003): count the views (HEAD -> main)\nfeat(US-001): answer /price\napi begins (origin/main)',
  );
  expect(shop.log('web', 'main')).toBe('feat(US-002): show the price (HEAD -> main)\nweb begins (origin/main)');
  expect([files(), clean(), record()]).toEqual([['src/US-001.txt\nsrc/US-003.txt', 'src/US-002.txt'], ['', ''], false]);
  const again = await merge();
  expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/api: main already[\s\S]*web: main already/)]);
  expect((await shop.start()).stderr).toContain('every story is done');
  expect((await shop.ralph(['run'])).stderr).toContain(
    'fix:   or, for a backlog of several repositories: ralph stream start',
  );
  const status = await shop.ralph(['stream', 'status']);
  expect(status.stdout).toMatch(/api +complete +2\/2 done[\s\S]*web +complete +1\/1 done/);
  for (const repository of ['api', 'web'] as const) shop.git(repository, 'push', '-q');
  expect(shop.git('web', 'rev-parse', 'origin/main')).toBe(shop.git('web', 'rev-parse', 'main'));
});

test('a story whose dependency cannot be done does not start, and the folder says so', async () => {
  shop = makeShop();
  const { code, stdout } = await shop.start('web', '--skip-review');
  expect([code, stdout]).toEqual([2, '']);
  const tasks = shop.read('ralph/tasks.json');
  shop.write('ralph/tasks.json', tasks.replace('"id": "US-001"', '"id": "US-001", "blocked": "no price yet"'));
  const ended = await shop.start();
  expect([ended.code, ended.stdout], ended.stderr).toEqual([6, expect.stringContaining('0 of 3 stories done')]);
  const merged = await merge();
  expect([merged.code, merged.stderr]).toEqual([
    2,
    expect.stringContaining('3 of 3 stories are not done: US-001 (api)'),
  ]);
});

test('a plan in Markdown names repositories in a line', async () => {
  shop = makeShop();
  const line = (id: string, repo: string, more = '') => `- [ ] ${id}: story\n  - repo: ${repo}\n  - it works\n${more}`;
  shop.write(
    'ralph/plan.md',
    `# Prices\n\n${line('US-002', 'web', '  - depends on: US-001\n')}${line('US-001', 'api')}`,
  );
  rmSync(join(shop.root, 'ralph/tasks.json'));
  const { code, stdout, stderr } = await shop.start();
  expect([code, stderr], stdout).toEqual([0, '']);
  expect(shop.read('ralph/plan.md')).toMatch(/\[x\] US-002[\s\S]*\[x\] US-001/);
});

test('a repository that is not there, and a story without one, are refused before anything is made', async () => {
  shop = makeShop();
  const tasks = shop.read('ralph/tasks.json');
  shop.write('ralph/tasks.json', tasks.replaceAll('"repo": "web"', '"repo": "shop-web"'));
  expect((await shop.start()).stderr).toMatch(/'shop-web' is not a clone/);
  shop.write('ralph/tasks.json', tasks.replaceAll('"repo": "web"', '"repo": "../web"'));
  expect((await shop.start()).stderr).toMatch(/tasks\.json:\d+: US-002: "repo" is '\.\.\/web'/);
  shop.write('ralph/tasks.json', tasks.replaceAll(/,\s*"repo": "web"/g, ''));
  const { code, stderr } = await shop.start();
  expect([code, stderr]).toEqual([2, expect.stringMatching(/US-002: "repo" is missing/)]);
  expect([shop.git('api', 'branch', '--list', 'ralph/*'), existsSync(join(shop.root, '.ralph'))]).toEqual(['', false]);
});

describe('nothing is merged', () => {
  test('when the checks of one repository are red', async () => {
    await worked();
    const before = heads();
    shop.write('web/ralph.config.json', JSON.stringify({ verifyCommands: ['! test -e src/US-002.txt'] }));
    shop.git('web', 'add', 'ralph.config.json');
    shop.git('web', 'commit', '-q', '-m', 'stricter checks');
    const { code, stdout } = await merge();
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /api: not merged: .*is ready, and another repository is not[\s\S]*web: not merged: .*1 check fail/,
      ),
    ]);
    expect(heads()).toEqual([before[0], shop.git('web', 'rev-parse', 'HEAD')]);
    expect([files(), record()]).toEqual([['', ''], false]);
  });

  test('when there is a conflict in one, and then no check runs', async () => {
    await worked();
    shop.write('web/src/US-002.txt', 'mine\n');
    shop.git('web', 'add', '-A');
    shop.git('web', 'commit', '-q', '-m', 'by hand');
    const before = heads();
    const { code, stdout, stderr } = await merge();
    expect([code, stdout]).toEqual([1, expect.stringMatching(/web: not merged: .*conflicts in 1 file/)]);
    expect(stderr).not.toContain('checking');
    expect(heads()).toEqual(before);
  });

  test('when a person moves one of the branches meanwhile, and what had moved is moved back', async () => {
    shop = makeShop();
    // The last check before the branches move: `api` is first.
    const move = `git -C ${shop.root}/web commit -q --allow-empty -m "by a person"`;
    const check = `! test -e ${shop.root}/go || ${move}`;
    shop.write('web/ralph.config.json', JSON.stringify({ verifyCommands: [check], checks: { where: 'tree' } }));
    shop.git('web', 'commit', '-q', '-a', '-m', 'a check');
    expect((await shop.start('--skip-review')).code).toBe(0);
    const [api] = heads();
    shop.write('go', '');
    const { code, stdout } = await merge();
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('nothing was merged: web: its branch was moved by someone else'),
    ]);
    expect(shop.git('web', 'log', '-1', '--format=%s', 'main')).toBe('by a person');
    expect([heads()[0], files(), clean(), record()]).toEqual([api, ['', ''], ['', ''], false]);
    expect(shop.git('api', 'reflog', 'main', '--format=%gs', '-3')).toBe(
      'ralph: merge\nralph: merge\ncommit (initial): api begins',
    );
  });
});

describe('after kill -9', () => {
  test.each(['landing-recorded', 'landing-moved', 'landing-moved#2'])('at %s the next start ends it', async (point) => {
    await worked();
    const before = heads();
    const killed = await merge({ RALPH_CRASHPOINT: point });
    expect([killed.signal, record()]).toEqual(['SIGKILL', true]);
    if (point === 'landing-moved') {
      expect([heads()[0] === before[0], heads()[1]]).toEqual([false, before[1]]);
      expect((await shop.ralph(['stream', 'status'])).stdout).toContain(
        'a merge was cut off; ralph stream merge finishes it',
      );
    }
    const { code, stdout, stderr } = await merge();
    expect([code, stderr], stdout).toEqual([0, expect.stringContaining('cut off: merged together: api, web')]);
    expect([files(), clean(), record()]).toEqual([
      ['src/US-001.txt\nsrc/US-003.txt', 'src/US-002.txt'],
      ['', ''],
      false,
    ]);
  });

  test('it takes back what had moved when a person moved another branch since, also when it is killed again', async () => {
    await worked();
    const before = heads();
    expect((await merge({ RALPH_CRASHPOINT: 'landing-moved' })).signal).toBe('SIGKILL');
    shop.git('web', 'commit', '-q', '--allow-empty', '-m', 'by a person');
    expect((await merge({ RALPH_CRASHPOINT: 'landing-undone' })).signal).toBe('SIGKILL');
    expect([heads()[0], record()]).toEqual([before[0], true]);
    // Then it merges again, with the person's commit.
    const { code, stdout, stderr } = await merge();
    expect([code, stderr], stdout).toEqual([0, expect.stringContaining('cut off: nothing was merged: ')]);
    expect(shop.git('web', 'log', '-2', '--format=%s', 'main')).toBe('feat(US-002): show the price\nby a person');
    expect([clean(), record()]).toEqual([['', ''], false]);
  });
});
