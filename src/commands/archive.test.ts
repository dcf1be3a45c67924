import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../test/support/command-repository.ts';

const DATE = new Date().toISOString().slice(0, 10);
const done = JSON.stringify({
  ...JSON.parse(backlogText),
  userStories: JSON.parse(backlogText).userStories.map((story: object) => ({
    ...story,
    passes: true,
    reviewStatus: 'approved',
    dependsOn: [],
  })),
});
const PROGRESS = '# Log\n\n## Codebase Patterns\n\n- tests need `TZ=UTC`\n\n---\n[old] entry\n';
const files = {
  'ralph/tasks.json': done,
  'ralph/prd.md': '# The till\n',
  'ralph/progress.txt': PROGRESS,
  'ralph/prompt.md': 'my own template\n',
  'ralph/reviews.json':
    '{"version":1,"stories":{"US-001":{"receipt":{"approvedAt":"2026-01-02T03:04:05.000Z","by":"review","commits":null,"verified":true,"checks":[{"command":"true","ok":true,"exitCode":0,"durationMs":5,"redAtBaseline":false}],"reviews":2,"attempts":1,"costUsd":1.5,"tokens":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4},"durationMs":61000}}}}\n',
};

test('a finished loop goes into its folder in one commit, and the spec folder begins afresh', async () => {
  const repo = await freshRepository(files);
  const ended = await repo.ralph('archive', '--label', 'till');
  expect(ended).toMatchObject({ code: 0, err: '' });
  const folder = `ralph-archive/${DATE}-till`;
  for (const [name, was] of [
    ['tasks.json', done],
    ['prd.md', '# The till\n'],
    ['progress.txt', PROGRESS],
    ['reviews.json', files['ralph/reviews.json']],
  ]) {
    expect(await repo.read(`${folder}/${name}`)).toBe(was);
  }
  const summary = (await repo.read(`${folder}/summary.md`)) ?? '';
  expect(summary).toContain('4 of 4 stories done.');
  expect(summary).toContain('| US-001 Add items | done | a review | 2 | 1 | 1 of 1 ok | - | 1m 01s | $1.50 |');
  expect(JSON.parse((await repo.read('ralph/tasks.json')) ?? '')).toMatchObject({
    project: 'shop',
    branchName: '',
    verifyCommands: ['true'],
    userStories: [],
  });
  expect(await repo.read('ralph/progress.txt')).toBe(PROGRESS.replace('[old] entry\n', ''));
  expect(await repo.read('ralph/prompt.md')).toBe('my own template\n');
  expect(await repo.read('ralph/reviews.json')).toBeNull();
  expect((await repo.git('rev-list', '--count', 'HEAD')).trim()).toBe('2');
  expect(await repo.git('status', '--porcelain')).toBe('');
  expect((await repo.ralph('validate')).code).toBe(0);
});

test('nothing of what a person has staged or changed gets into the commit, and all of it stays', async () => {
  const repo = await freshRepository({ ...files, 'src/a.txt': 'a\n', 'src/b.txt': 'b\n' });
  await repo.write('src/a.txt', 'staged\n');
  await repo.git('add', 'src/a.txt');
  await repo.write('src/b.txt', 'changed\n');
  await repo.write('src/c.txt', 'new\n');
  const before = await repo.git('status', '--porcelain');
  expect((await repo.ralph('archive')).code).toBe(0);
  expect(await repo.git('status', '--porcelain')).toBe(before);
  expect(await repo.git('show', '--name-only', '--format=', 'HEAD')).not.toContain('src/');
});

test('the second archive of a day has a number', async () => {
  const repo = await freshRepository(files);
  await repo.ralph('archive');
  await repo.write('ralph/tasks.json', done);
  const { out } = await repo.ralph('archive', '--json');
  expect(JSON.parse(out)).toMatchObject({ folder: `ralph-archive/${DATE}-shop-2`, stories: 4, done: 4, open: [] });
});

test('open stories are named, and go along only by force', async () => {
  const repo = await freshRepository({ ...files, 'ralph/tasks.json': backlogText });
  const refused = await repo.ralph('archive');
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('3 stories are still open');
  expect(refused.err).toContain('US-002 Sum up; US-003 Give change');
  const { out } = await repo.ralph('archive', '--force', '--json');
  expect(JSON.parse(out)).toMatchObject({ done: 1, open: ['US-002', 'US-003', 'US-004'] });
});

test('a dry run only says what it would do', async () => {
  const repo = await freshRepository(files);
  const { code, out } = await repo.ralph('archive', '--dry-run');
  expect(code).toBe(0);
  expect(out).toContain(`would archive  ralph-archive/${DATE}-shop/summary.md`);
  expect(await repo.git('status', '--porcelain')).toBe('');
  expect(await repo.read('ralph/tasks.json')).toBe(done);
});

test.each([
  ['a/b', 'a-b'],
  ['..', 'loop'],
  ['-x', 'x'],
  ['', 'loop'],
  ['nul', 'nul'],
])('the label %j is refused', async (label) => {
  const repo = await freshRepository(files);
  const { code, err } = await repo.ralph('archive', `--label=${label}`);
  expect(code).toBe(2);
  expect(err).toContain('cannot be the label of an archive');
});

test.each<[string, Record<string, string>, string]>([
  ['an empty backlog', { 'ralph/tasks.json': '{"userStories":[]}' }, 'there is nothing to archive'],
  ['a lone prompt', { 'PROMPT.md': 'do it\n' }, 'there is no backlog to archive'],
])('%s is refused', async (_title, tree, message) => {
  const { code, err } = await (await freshRepository(tree)).ralph('archive');
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test.each<[string, Record<string, string>, string, string]>([
  [
    'a numbered folder',
    { '.ralph/PRD-2/tasks.json': done, '.ralph/PRD-2/progress.md': PROGRESS },
    '.ralph/PRD-2/tasks.json',
    '.ralph/PRD-2/tasks.json',
  ],
  ['a checklist', { 'ralph/plan.md': '# Plan\n\n- [x] US-001: one\n' }, 'ralph/plan.md', 'ralph/tasks.json'],
  [
    'a foreign document',
    { 'ralph/prd.json': '{"project":"p","branchName":"b","userStories":[{"id":"A","title":"t","passes":true}]}' },
    'ralph/prd.json',
    'ralph/tasks.json',
  ],
])('%s is archived in its own form, and an empty native backlog takes its place', async (_title, tree, was, is) => {
  const repo = await freshRepository(tree);
  expect(await repo.ralph('archive', '--label', 'x')).toMatchObject({ code: 0, err: '' });
  expect(await repo.read(`ralph-archive/${DATE}-x/${was.slice(was.lastIndexOf('/') + 1)}`)).toBe(tree[was]);
  if (was !== is) expect(await repo.read(was)).toBeNull();
  expect(JSON.parse((await repo.read(is)) ?? '')).toMatchObject({ userStories: [], branchName: '' });
  expect(await repo.git('status', '--porcelain')).toBe('');
});

test('the checklist of the classic layout keeps its name and its heading', async () => {
  const repo = await freshRepository({ 'PROMPT.md': 'x\n', '@fix_plan.md': '# Fix\n\n- [x] one\n' });
  expect(await repo.ralph('archive', '--label', 'x')).toMatchObject({ code: 0, err: '' });
  expect(await repo.read(`ralph-archive/${DATE}-x/@fix_plan.md`)).toContain('- [x] one');
  expect(await repo.read('@fix_plan.md')).toBe('# Fix\n');
  expect(await repo.read('PROMPT.md')).toBe('x\n');
});

test('a label that is proposed keeps the letters under their marks', async () => {
  const repo = await freshRepository(files);
  const { code, err } = await repo.ralph('archive', '--label', 'Menü für Zoë');
  expect([code, err]).toEqual([2, expect.stringContaining('--label menu-fur-zoe')]);
});
