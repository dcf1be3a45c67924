import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadText } from './document.fixture.ts';
import { editBacklog } from './document.ts';

/**
 * Backlogs in the shapes that tools and people write, made up and small, one a line: the name, how many stories, how
 * many of them done, how many entries are left out because the tool means them to be gone, the content; then, where it
 * matters, the stories by their ids.
 */
const WILD = readFileSync(new URL('wild.fixture.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(
    (line) =>
      JSON.parse(line) as [
        name: string,
        stories: number,
        done: number,
        leftOut: number,
        content: unknown,
        ids?: string[],
      ],
  );

function load(content: unknown) {
  const isText = typeof content === 'string';
  return loadText(isText ? 'markdown' : 'prd-json', isText ? content : JSON.stringify(content, null, 2));
}

test.each(WILD)('%s: %i stories, %i done, %i left out', (_name, stories, done, leftOut, content, ids) => {
  const { document, problems } = load(content);
  const found = document?.backlog.stories ?? [];
  const out = problems
    .filter(({ rule }) => rule === 'schema/left-out')
    .map(({ message }) => Number.parseInt(message, 10));
  const counts = [found.length, found.filter(({ passes }) => passes).length, out.reduce((sum, each) => sum + each, 0)];
  expect(counts).toEqual([stories, done, leftOut]);
  if (ids !== undefined) expect(found.map(({ id, passes }) => `${id}${passes ? ' done' : ''}`)).toEqual(ids);
  if (stories + leftOut === 0) expect(problems).toMatchObject([{ rule: 'schema/no-stories' }]);
});

test.each(WILD.filter(([, stories]) => stories > 0))('%s: each story can be marked, and one be added', (...row) => {
  const { document } = load(row[4]);
  if (!document) throw new Error('it cannot be read');
  const { stories } = document.backlog;
  const states = (all: typeof stories) => all.map(({ id, passes }) => [id, passes]);
  for (const { id, passes } of stories) {
    const after = editBacklog(document, [{ kind: 'set', id, fields: { passes: !passes } }]);
    expect(states(after.backlog.stories)).toEqual(
      stories.map((each) => [each.id, each.id === id ? !passes : each.passes]),
    );
    const back = editBacklog(after, [{ kind: 'set', id, fields: { passes } }]);
    expect(states(back.backlog.stories)).toEqual(states(stories));
  }
  const allDone = stories.map(({ id }) => ({ kind: 'set', id, fields: { passes: true } }) as const);
  expect(editBacklog(document, allDone).backlog.stories.map(({ passes }) => passes)).toEqual(stories.map(() => true));
  const story = { id: 'ZZ-9', title: 'A new story', description: 'text', acceptanceCriteria: ['It works'] };
  const more = editBacklog(document, [{ kind: 'add', story }]).backlog.stories;
  expect(more.find(({ id }) => id === 'ZZ-9')).toMatchObject({ ...story, passes: false });
  expect(more).toHaveLength(stories.length + 1);
});
