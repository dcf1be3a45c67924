import { expect, test } from 'vitest';
import { accept, makeRepository, type Repository } from '../../../test/support/git-repository.ts';
import { openGit } from './open.ts';

const IDS = ['US-001', 'US-002', 'US-003'];

/** As the one who made the commits knows it, and as somebody reads it from the history. */
async function bothWays(repo: Repository) {
  const reader = await openGit(repo.root, { env: repo.env });
  const known = await Promise.all(IDS.map((id) => repo.git.storyRange(id)));
  return { known, read: await Promise.all(IDS.map((id) => reader.storyRange(id))) };
}

test('what is remembered of own commits is what the history says', async () => {
  const repo = await makeRepository();
  await repo.git.storyRange('US-001');
  let made = 0;
  const work = async (...trailers: (readonly [string, string])[]) => {
    const checkpoint = await repo.git.checkpoint('main');
    made += 1;
    repo.write('a.txt', `${made}\n`);
    await accept(repo.git, checkpoint, { trailers });
  };
  const steps = [
    () => work(['Ralph-Run', 'r1'], ['Ralph-Story', 'US-001']),
    () => work(['Ralph-Story', 'US-002']),
    () => work(['Ralph-Run', 'r1']),
    () => work(['Ralph-Story', 'US-001'], ['Ralph-Story', 'US-002']),
    async () => void repo.run('commit', '-q', '--allow-empty', '-m', 'by hand\n\nRalph-Story: US-003'),
    () => work(['Ralph-Story', 'US-003']),
    () => work(['Ralph-Archived', 'US-001']),
    () => work(['Ralph-Story', 'US-001']),
    async () => void repo.run('reset', '-q', '--hard', 'HEAD~3'),
    async () => void repo.run('pack-refs', '--all'),
    () => work(['Ralph-Story', 'US-002']),
  ];
  for (const step of steps) {
    await step();
    const { known, read } = await bothWays(repo);
    expect(known).toEqual(read);
  }
  expect((await bothWays(repo)).known).toEqual([
    { base: expect.any(String), head: expect.any(String), commits: 2 },
    { base: expect.any(String), head: expect.any(String), commits: 3 },
    { base: expect.any(String), head: expect.any(String), commits: 1 },
  ]);
});

test('a story that began with the first commit of all begins at the empty tree', async () => {
  const repo = await makeRepository();
  repo.run('commit', '-q', '--amend', '-m', 'all of it\n\nRalph-Story: US-001');
  const { known } = await bothWays(repo);
  expect(known[0]).toEqual({
    base: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    head: repo.run('rev-parse', 'HEAD').trim(),
    commits: 1,
  });
});

test('only trailers count, not the same words elsewhere in a message', async () => {
  const repo = await makeRepository();
  repo.run('commit', '-q', '--allow-empty', '-m', 'about\n\nRalph-Story: US-001\n\nis what a trailer looks like');
  expect((await bothWays(repo)).known).toEqual([null, null, null]);
});

test('a line belongs to the story whose commit it came with', async () => {
  const repo = await makeRepository();
  const work = async (text: string, story: string) => {
    const checkpoint = await repo.git.checkpoint('main');
    repo.write('-odd name.txt', text);
    return accept(repo.git, checkpoint, { trailers: [['Ralph-Story', story]] });
  };
  const first = await work('one\ntwo\n', 'US-001');
  const second = await work('one\nTWO\n', 'US-002');
  repo.write('-odd name.txt', 'one\nTWO\nthree\n');
  repo.run('commit', '-qam', 'by hand\n\nabout\n\nRalph-Story: US-003\n\nin the text');
  const head = repo.run('rev-parse', 'HEAD').trim();
  const subjects = new Map<string, string>();
  const story = (commit: string, line: number, path = '-odd name.txt') =>
    repo.git.storyOfLine(commit, path, line, subjects);
  expect(await Promise.all([story(head, 1), story(head, 2), story(head, 3)])).toEqual(['US-001', 'US-002', null]);
  subjects.set('by hand', 'US-009');
  expect(await Promise.all([story(head, 1), story(head, 3)])).toEqual(['US-001', 'US-009']);
  expect(await Promise.all([story(first, 2), story(second, 2)])).toEqual(['US-001', 'US-002']);
  expect(await Promise.all([story(head, 9), story(head, 1, 'gone'), story('0'.repeat(40), 1)])).toEqual([
    null,
    null,
    null,
  ]);
});
