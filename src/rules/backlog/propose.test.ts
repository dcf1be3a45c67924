import { expect, it } from 'vitest';
import { loadBacklog } from './load.ts';
import { propose } from './propose.ts';

function document() {
  const text =
    '{"project":"p","branchName":"b","description":"","verifyCommands":[],"userStories":[{"id":"A-1","title":"t","description":"","acceptanceCriteria":["c"],"priority":1,"passes":false,"reviewStatus":null,"reviewCount":0,"reviewFeedback":"","notes":"","dependsOn":[]}]}';
  const bytes = new TextEncoder().encode(text);
  const loaded = loadBacklog({
    format: 'tasks-json',
    file: 'tasks.json',
    bytes,
    reviewsFile: 'r.json',
    reviewsBytes: null,
  });
  if (!loaded.document) throw new Error('the fixture is no backlog');
  return loaded.document;
}

const add = (id: string) =>
  ({ kind: 'add', story: { id, title: id, acceptanceCriteria: ['c'], priority: 2 } }) as const;

it('applies what can be applied and names what clashes', () => {
  const { document: after, refused } = propose(document(), [add('A-2'), add('A-1'), add('A-3')]);
  expect(after.backlog.stories.map(({ id }) => id)).toEqual(['A-1', 'A-2', 'A-3']);
  expect(refused).toMatchObject([{ edit: { story: { id: 'A-1' } } }]);
});

it('passes over a change of a story that is gone', () => {
  const { document: after, refused } = propose(document(), [{ kind: 'set', id: 'B-9', fields: { notes: 'x' } }]);
  expect(after.text).toBe(document().text);
  expect(refused).toEqual([]);
});
