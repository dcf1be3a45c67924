import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { pathFromBytes } from '../../platform/index.ts';

const FILES = { 'a.txt': 'one\ntwo\n', 'old name.txt': 'moved\n'.repeat(20), 'gone.txt': 'leaves\n' };

test('a commit is shown with its message, its files and its patch', async () => {
  const repo = await makeRepository(FILES);
  repo.write('a.txt', 'one\n2\nthree\n');
  repo.write('bytes.bin', Buffer.of(0, 1, 2, 0));
  repo.write('tab\tund ümlaut.txt', 'x\n');
  repo.sh(
    'mv "old name.txt" new.txt && rm gone.txt && git add -A && git commit -qm "a subject" -m "a body" -m "Ralph-Story: US-001"',
  );
  const id = repo.run('rev-parse', 'HEAD').trim();
  const view = await repo.git.commitView(id);
  expect(view).toMatchObject({ id, subject: 'a subject', body: 'a body\n\nRalph-Story: US-001', truncated: false });
  expect([...(view?.files ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'a.txt', added: 2, deleted: 1 },
    { path: 'bytes.bin', added: null, deleted: null },
    { path: 'gone.txt', added: 0, deleted: 1 },
    { path: 'new.txt', added: 0, deleted: 0 },
    { path: 'tab\tund ümlaut.txt', added: 1, deleted: 0 },
  ]);
  expect(view?.patch).toContain('-two\n+2\n+three\n');
  expect(view?.patch).toContain('rename from old name.txt');
});

test('the first commit, an empty one and a merge are shown too', async () => {
  const repo = await makeRepository({ 'a.txt': 'one\n' });
  const [first] = repo.run('rev-list', 'HEAD').trim().split('\n').reverse();
  expect((await repo.git.commitView(first ?? ''))?.files).toEqual([{ path: 'a.txt', added: 1, deleted: 0 }]);
  repo.sh('git commit -q --allow-empty -m nothing');
  expect(await repo.git.commitView(repo.run('rev-parse', 'HEAD').trim())).toMatchObject({
    files: [],
    patch: '',
    body: '',
  });
  repo.sh('git checkout -qb side && echo x > x.txt && git add x.txt && git commit -qm x && git checkout -q main');
  repo.sh('git merge -q --no-ff -m merged side');
  expect((await repo.git.commitView(repo.run('rev-parse', 'HEAD').trim()))?.files).toEqual([
    { path: 'x.txt', added: 1, deleted: 0 },
  ]);
});

test('what is not the full id of a commit is not looked at', async () => {
  const repo = await makeRepository(FILES);
  const id = repo.run('rev-parse', 'HEAD').trim();
  const others = ['HEAD', 'main', id.slice(0, 12), `${id}^`, '--all', `--output=x`, '', id.toUpperCase(), `${id}\n`];
  others.push('0'.repeat(40), repo.run('rev-parse', 'HEAD^{tree}').trim(), repo.run('rev-parse', 'HEAD:a.txt').trim());
  for (const other of others) expect([other, await repo.git.commitView(other)]).toEqual([other, null]);
});

test('a large patch is cut at a line', async () => {
  const repo = await makeRepository(FILES);
  repo.write('large.txt', 'übergroß\n'.repeat(200_000));
  repo.sh('git add -A && git commit -qm large');
  const view = await repo.git.commitView(repo.run('rev-parse', 'HEAD').trim());
  expect(view?.truncated).toBe(true);
  expect(view?.patch.length).toBeLessThanOrEqual(1024 * 1024);
  expect(view?.patch.endsWith('+übergroß\n')).toBe(true);
});

test('no program that settings or attributes name is run', async () => {
  const repo = await makeRepository({ ...FILES, '.gitattributes': '* diff=evil\n' });
  repo.run('config', 'diff.evil.command', 'touch ran-command;');
  repo.run('config', 'diff.evil.textconv', 'touch ran-textconv; cat');
  repo.run('config', 'diff.external', 'touch ran-external;');
  repo.run('config', 'log.showSignature', 'true');
  repo.run('config', 'gpg.program', '/bin/false');
  repo.write('a.txt', 'changed\n');
  repo.sh('git add -A && git commit -qm changed');
  const view = await repo.git.commitView(repo.run('rev-parse', 'HEAD').trim());
  expect(view?.patch).toContain('+changed');
  expect(['command', 'textconv', 'external'].map((name) => repo.read(`ran-${name}`))).toEqual([null, null, null]);
});

test('attributes of the tree hide nothing from a person who looks at a commit or a rescue', async () => {
  const repo = await makeRepository({ 'a.js': 'one\n', 'b.js': 'one\n' });
  repo.write('.gitattributes', 'a.js -diff\nb.js binary\n');
  repo.sh('echo evil >> a.js; echo evil >> b.js; git add -A; git commit -qm hidden');
  const id = repo.run('rev-parse', 'HEAD').trim();
  const view = await repo.git.commitView(id);
  expect(view?.patch.match(/^\+evil$/gm)).toHaveLength(2);
  expect(view?.files).toContainEqual({ path: 'a.js', added: 1, deleted: 0 });
  const { tree } = await repo.git.checkpoint('lane-0');
  const parents = [repo.run('rev-parse', 'HEAD~1').trim()];
  const rescue = await repo.git.rescue({
    run: 'r',
    iteration: 1,
    tree,
    parents,
    subject: 'kept',
    date: Date.UTC(2026, 0, 1),
  });
  expect((await repo.git.showRescue(rescue.name)).match(/^\+evil$/gm)).toHaveLength(2);
  expect(await repo.git.diffStat(`${id}~1`, id)).toMatch(/a\.js\s+\| 1 \+/);
});

test('files with any name are read by the process that stays', async () => {
  const names = [
    'a.txt',
    ' two words ',
    'tab\t',
    'return\r',
    'return',
    'line\nbreak',
    'folder/b.txt',
    'no \ufffd text',
  ];
  const repo = await makeRepository(Object.fromEntries(names.map((name) => [name, `in ${JSON.stringify(name)}`])));
  repo.sh(`printf odd >"$(printf 'no \\377 text')" && git add -A && git commit -qm odd`);
  const read = async (name: string) => Buffer.from((await repo.git.show('HEAD', name)) ?? []).toString();
  expect(await Promise.all(names.map(read))).toEqual(names.map((name) => `in ${JSON.stringify(name)}`));
  expect(await read(pathFromBytes(Buffer.from('no \xff text', 'latin1')))).toBe('odd');
  expect(await Promise.all(['none', 'folder', 'a.txt\r'].map((name) => repo.git.show('HEAD', name)))).toEqual(
    Array(3).fill(null),
  );
  const reading = Promise.all(Array.from({ length: 100 }, () => repo.git.show('HEAD', 'a.txt')));
  await repo.git.show('HEAD', 'a.txt');
  expect(process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length).toBeLessThan(5);
  await reading;
});
