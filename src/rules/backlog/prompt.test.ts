import { expect, test } from 'vitest';
import { editBacklog, loadSource } from './document.ts';
import { select } from './select.ts';

const load = (text: string) =>
  loadSource({ format: 'prompt', file: 'PROMPT.md', text, reviewsFile: 'reviews.json', reviewsText: null });

test('a lone prompt is one story that is never done, named by its first heading', () => {
  const { document, problems } = load('You are an engineer.\n\n# Port the parser\n\nAll of it.\n');
  expect(problems).toEqual([]);
  expect(document?.backlog.stories).toMatchObject([{ id: 'PROMPT', title: 'Port the parser', passes: false }]);
  expect(select(document?.backlog.stories ?? [], { skipReview: false })).toMatchObject({
    kind: 'work',
    mode: 'implement',
  });
});

test('an empty prompt is refused with a way out', () => {
  expect(load(' \n')).toMatchObject({
    document: null,
    problems: [{ rule: 'prompt/empty', fix: expect.stringContaining('ralph init') }],
  });
});

test('nothing that the loop concludes is written into a prompt', () => {
  const { document } = load('Do it.\n');
  if (!document) throw new Error('the prompt was not read');
  expect(editBacklog(document, [{ kind: 'set', id: 'PROMPT', fields: { passes: true, blocked: 'x' } }])).toBe(document);
});
