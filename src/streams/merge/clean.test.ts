import { expect, test } from 'vitest';
import { blankStory } from '../../rules/backlog/api.ts';
import { recordFinish } from './finished.ts';
import { type History, makeHistory } from './history.fixture.ts';

const LINES = { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n', 'b.txt': 'b\n' };
const lines = (changes: Readonly<Record<number, string>>) =>
  `${Array.from({ length: 9 }, (_, at) => changes[at + 1] ?? String(at + 1)).join('\n')}\n`;

async function lineOf(history: History, how: Parameters<History['clean']>[0] = {}) {
  const before = history.run('for-each-ref');
  const line = await history.clean(how);
  expect(history.run('for-each-ref')).toBe(before);
  if (line.kind !== 'line') throw new Error(line.kind);
  const range = ['--reverse', '--format=%s', `main..${line.commit}`];
  expect(history.run('diff', '--name-only', 'main', line.commit, '--', 'ralph', '.ralph')).toBe('');
  return {
    ...line,
    subjects: history
      .run('log', ...range)
      .trim()
      .split('\n'),
  };
}

test('one commit for each story, without reviews, bookkeeping and the files of ralph', async () => {
  const history = await makeHistory(LINES);
  history.commit('S-1', { 'one.txt': '1\n' });
  history.commit('S-1', {}, 'review(S-1): changes requested');
  history.commit('S-1', { 'one.txt': '1!\n' }, 'fix(S-1): address review feedback');
  history.commit('S-1', {}, 'review(S-1): approved');
  history.commit('S-2', { 'two.txt': '2\n' });
  const story = { ...blankStory('S-1', 'The first', 1), passes: true, acceptanceCriteria: ['it works'] };
  const line = await lineOf(history, { stories: [story] });
  expect(line.subjects).toEqual(['feat(S-1): The first', 'feat(S-2): work 4']);
  expect(line.notes).toEqual([]);
  expect(history.run('log', '-1', '--format=%b%an', `${line.commit}~1`)).toBe(
    '- it works\n\nDone without a receipt.\nUna User\n',
  );
  expect(history.files(line.commit)).toBe(history.files('work'));
});

test('a commit of a person stays a commit, by its author, between the stories', async () => {
  const history = await makeHistory(LINES);
  history.commit('S-1', { 'one.txt': '1\n' });
  history.run('config', 'user.name', 'Otto Other');
  const own = history.commit(null, { 'mine.txt': 'x\n', 'ralph/prd.md': 'more\n' }, 'by hand');
  history.run('config', 'user.name', 'Una User');
  history.commit('S-2', { 'two.txt': '2\n' });
  history.commit(null, { 'ralph/prd.md': 'even more\n' }, 'only a wish');
  const line = await lineOf(history);
  expect(line.subjects).toEqual(['feat(S-1): work 0', 'by hand', 'feat(S-2): work 2']);
  const [was, is] = [own, `${line.commit}~1`].map((id) => history.run('log', '-1', '--format=%an %ae %ad %B', id));
  expect([is, history.run('show', '--format=', '--name-only', `${line.commit}~1`)]).toEqual([was, 'mine.txt\n']);
  expect(line.notes).toEqual(['left out, because they only change ralph\'s files: "only a wish"']);
});

test('commits of a person before the first story keep their ids', async () => {
  const history = await makeHistory(LINES);
  const own = history.commit(null, { 'mine.txt': 'x\n' });
  history.commit('S-1', { 'one.txt': '1\n' });
  const line = await lineOf(history);
  expect(history.run('rev-parse', `${line.commit}~1`).trim()).toBe(own);
});

test('stories that interleave are gathered, in the order of their acceptance', async () => {
  const history = await makeHistory(LINES);
  history.commit('S-1', { 'a.txt': lines({ 1: 'one' }) });
  history.commit('S-2', { 'two.txt': '2\n' });
  history.commit('S-1', { 'a.txt': lines({ 1: 'one', 9: 'nine' }) });
  history.commit('S-1', {}, 'review(S-1): approved');
  history.commit('S-2', { 'two.txt': '2!\n' });
  const line = await lineOf(history);
  expect(line.subjects).toEqual(['feat(S-1): work 0', 'feat(S-2): work 1']);
  expect(history.run('show', `${line.commit}~1:a.txt`)).toBe(lines({ 1: 'one', 9: 'nine' }));
  expect(history.files(line.commit)).toBe(history.files('work'));
});

test('stories that change the same lines in turn become one commit, and that is said', async () => {
  const history = await makeHistory(LINES);
  history.commit('S-1', { 'a.txt': lines({ 5: 'one' }) });
  history.commit('S-2', { 'a.txt': lines({ 5: 'two' }) });
  history.commit('S-1', { 'a.txt': lines({ 5: 'one again' }) });
  history.commit('S-3', { 'three.txt': '3\n' });
  const stories = ['S-1', 'S-2'].map((id) => blankStory(id, `Title of ${id}`, 1));
  const line = await lineOf(history, { stories });
  expect(line.subjects).toEqual(['wip(S-2, S-1): Title of S-2; Title of S-1', 'feat(S-3): work 3']);
  expect(line.notes).toEqual([expect.stringContaining('S-2 and S-1 are one commit')]);
});

test("a person's commit in the middle of a story stays one, and splits the story where it must", async () => {
  const history = await makeHistory(LINES);
  history.commit('S-1', { 'a.txt': lines({ 5: 'one' }) });
  history.commit(null, { 'a.txt': lines({ 5: 'mine' }) }, 'by hand');
  history.commit('S-1', { 'a.txt': lines({ 5: 'one again' }) });
  const line = await lineOf(history);
  expect(line.subjects).toEqual(['feat(S-1): work 0', 'by hand', 'feat(S-1): work 2']);
  expect(line.notes).toEqual([expect.stringContaining('more than one commit')]);
});

test("the agent's own commits that stayed on the branch belong to its story", async () => {
  const history = await makeHistory(LINES);
  const own = history.commit(null, { 'mine.txt': 'x\n' }, 'by hand');
  history.commit(null, { 'one.txt': '1\n' }, 'start');
  history.commit(null, { 'one.txt': '2\n' }, 'go on');
  history.commit('S-1', {}, 'feat(S-1): it\n\n- start\n- go on');
  const line = await lineOf(history);
  expect(line.subjects).toEqual(['by hand', 'start']);
  expect(history.run('rev-parse', `${line.commit}~1`).trim()).toBe(own);
});

test('a target that went on gets the same commits on top; a conflict is told, and nothing made', async () => {
  const history = await makeHistory(LINES);
  history.commit('S-1', { 'a.txt': lines({ 1: 'one' }) });
  history.commit('S-2', { 'b.txt': 'two\n' });
  history.onMain({ 'a.txt': lines({ 9: 'nine' }), 'ralph/tasks.json': 'of main\n' });
  const line = await lineOf(history);
  expect(line.subjects).toEqual(['feat(S-1): work 0', 'feat(S-2): work 1']);
  expect(history.run('show', `${line.commit}~1:a.txt`)).toBe(lines({ 1: 'one', 9: 'nine' }));
  expect(history.run('show', `${line.commit}:ralph/tasks.json`)).toBe('of main\n');
  history.onMain({ 'b.txt': 'of main\n' });
  expect(await history.clean()).toEqual({ kind: 'conflict', paths: ['b.txt'] });
});

test('after a person merged the target into the branch, the resolution is in the story', async () => {
  const history = await makeHistory(LINES);
  history.commit('S-1', { 'b.txt': 'one\n' });
  history.commit('S-2', { 'two.txt': '2\n' });
  history.onMain({ 'b.txt': 'of main\n' });
  history.sh('git merge -q main || printf "one of main\\n" > b.txt; git add -A; git commit -q -m "Merge main"');
  history.commit('S-3', { 'three.txt': '3\n' });
  const line = await lineOf(history);
  expect(line.subjects).toEqual(['feat(S-1): work 0', 'feat(S-2): work 1', 'feat(S-3): work 2']);
  expect(history.files(line.commit)).toBe(history.files('work'));
  expect(history.run('show', `${line.commit}~2:b.txt`)).toBe('one of main\n');
});

test('with squash all of it is one commit, which names the stories', async () => {
  const history = await makeHistory(LINES);
  history.commit('S-1', { 'one.txt': '1\n' });
  history.commit(null, { 'mine.txt': 'x\n' }, 'by hand');
  history.commit('S-2', { 'two.txt': '2\n' });
  const stories = ['S-1', 'S-2'].map((id) => ({ ...blankStory(id, `Title of ${id}`, 1), passes: true }));
  const line = await lineOf(history, { squash: true, stories });
  expect(line.subjects).toEqual(['shop: 2 stories']);
  const body = history.run('log', '-1', '--format=%b', line.commit);
  expect(body).toMatch(/^S-1: Title of S-1\n[\s\S]*S-2: Title of S-2\n[\s\S]*Also in this commit:\n\n- by hand\n/);
  expect(history.files(line.commit)).toBe(history.files('work'));
});

test("a branch without work beyond ralph's files has nothing to bring", async () => {
  const history = await makeHistory(LINES);
  history.commit('S-1', {});
  expect(await history.clean()).toEqual({ kind: 'already' });
});

test('a merge that was killed after its record, before the branch moved, does not hide the one before it', async () => {
  const history = await makeHistory(LINES);
  const record = async (commit: string) => {
    const [head = '', base = ''] = ['work', 'main'].map((name) => history.run('rev-parse', name).trim());
    await recordFinish(history.git, { branch: 'work', into: 'main', head, base }, commit, 1e12);
  };
  history.commit('S-1', { 'one.txt': '1\n' });
  const first = await lineOf(history);
  await record(first.commit);
  history.run('update-ref', 'refs/heads/main', first.commit);
  history.commit('S-2', { 'one.txt': '2\n' });
  await record((await lineOf(history)).commit);
  expect((await lineOf(history)).subjects).toEqual(['feat(S-2): work 1']);
});
