import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import { documentOf, loadText } from '../document.fixture.ts';
import { editBacklog } from '../document.ts';

/** Documents as other tools write them: any container, any flag, any words for it. */
const flag = fc.constantFrom<readonly [string, unknown, unknown]>(
  ['passes', true, false],
  ['done', 1, 0],
  ['completed', 'true', 'false'],
  ['status', 'Done', 'To Do'],
  ['status', 'completed', 'in_progress'],
  ['status', '✅ DONE', '⬜ TODO'],
  ['State', 'closed', 'open'],
);
const word = fc.constantFrom('Log in', 'Log out', 'Söker', 'Cart "x"', 'a, b; c', '{[', 'Menü \\ 1');
const story = fc.record(
  {
    title: word,
    done: fc.boolean(),
    description: word,
    acceptanceCriteria: fc.oneof(
      word,
      fc.array(word, { maxLength: 3 }),
      fc.array(fc.record({ text: word, passes: fc.boolean() })),
    ),
    steps: fc.array(word, { maxLength: 2 }),
    priority: fc.oneof(fc.nat(5), fc.constantFrom('high', 'P2', 'Must have', '?')),
    dependsOn: fc.array(fc.constantFrom('S9 (login)', 'what else'), { maxLength: 1 }),
    subtasks: fc.array(fc.record({ id: fc.nat(9), title: word, status: fc.constantFrom('done', 'pending') }), {
      maxLength: 2,
    }),
  },
  { requiredKeys: ['title', 'done'] },
);
type Raw = Record<string, unknown>;
const WRAPS: readonly ((stories: Raw[]) => unknown)[] = [
  (stories) => stories,
  (stories) => ({ name: 'p', risks: [{ id: 'R', name: 'r', status: 'open' }], userStories: stories }),
  (stories) => ({ prd: { tasks: stories }, total: 3 }),
  (stories) => ({
    phases: [
      { name: 'One', status: 'done', tasks: stories.slice(0, 1) },
      { name: 'Two', tasks: stories.slice(1) },
    ],
  }),
  (stories) => ({ features: Object.fromEntries(stories.map((one, index) => [`f-${index}`, one])) }),
];
const document = fc
  .record({
    stories: fc.array(story, { minLength: 2, maxLength: 5 }),
    flag,
    wrap: fc.constantFrom(...WRAPS),
    ids: fc.boolean(),
    space: fc.constantFrom(undefined, 2, '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ stories, flag: [key, yes, no], wrap, ids, space, lineEnd }) => {
    const raw = stories.map(
      ({ done, ...fields }, index): Raw => ({
        ...(ids ? { id: `S${index}` } : {}),
        ...fields,
        [key]: done ? yes : no,
      }),
    );
    const write = (all: Raw[]): string => JSON.stringify(wrap(all), null, space).replaceAll('\n', lineEnd);
    return { raw, key, write, text: write(raw) };
  });

describe('documents of other tools', () => {
  test('marking any of their stories changes its mark and nothing else', () => {
    fc.assert(
      fc.property(document, fc.nat(), ({ raw, key, text }, pick) => {
        const before = loadText('prd-json', text).document;
        const { stories = [] } = before?.backlog ?? {};
        expect(stories).toHaveLength(raw.length);
        const chosen = stories[pick % stories.length];
        if (!before || !chosen) return;
        const passes = !chosen.passes;
        const after = editBacklog(before, [{ kind: 'set', id: chosen.id, fields: { passes } }]);
        expect(after.backlog.stories.map((one) => [one.id, one.passes])).toEqual(
          stories.map((one) => [one.id, one === chosen ? passes : one.passes]),
        );
        const changed = lines(text).filter((line, index) => line !== lines(after.text)[index]);
        expect(changed.length).toBeLessThanOrEqual(1);
        const mark = new RegExp(`"${key}": ?(?:"[^"]*"|[a-z0-9]+)`, 'g');
        expect(after.text.replace(mark, '')).toBe(text.replace(mark, ''));
        // And back again: the same story, in the words of the file.
        const back = editBacklog(after, [{ kind: 'set', id: chosen.id, fields: { passes: chosen.passes } }]);
        expect(back.backlog.stories.map((one) => one.passes)).toEqual(stories.map((one) => one.passes));
      }),
      { numRuns: runs(300) },
    );
  });

  test('ids stay when stories are appended, ticked or put in another order', () => {
    fc.assert(
      fc.property(document, ({ raw, write, key }) => {
        const idsOf = (all: Raw[]): Map<unknown, string> => {
          const { stories } = documentOf('prd-json', write(all)).backlog;
          return new Map(all.map((one, index) => [one, stories[index]?.id ?? '']));
        };
        const unique = [...new Map(raw.map((one) => [String(one['title']), one])).values()];
        if (unique.length < 2) return;
        const before = idsOf(unique);
        const added = { ...unique[0], title: 'Something new', id: 'NEW' };
        for (const [one, id] of idsOf([...unique, added])) if (one !== added) expect(id).toBe(before.get(one));
        const ticked = unique.map((one) => ({ ...one, [key]: raw[0]?.[key] }));
        expect([...idsOf(ticked).values()]).toEqual([...before.values()]);
      }),
      { numRuns: runs(200) },
    );
  });

  test('no JSON makes reading throw', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            'tasks',
            'stories',
            'phases',
            'prd',
            'done',
            'status',
            'title',
            'id',
            'dependsOn',
            'steps',
            'blocked',
            'verify',
            '__proto__',
          ),
          fc.jsonValue({ maxDepth: 3 }),
        ),
        fc.boolean(),
        (value, inList) => {
          const text = JSON.stringify(inList ? { tasks: [value, value] } : value);
          const { document: read } = loadText('prd-json', text);
          if (read) expect(editBacklog(read, []).text).toBe(text);
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});

test('no text makes reading a plan throw, and ids stay when lines are put below it', () => {
  const line = fc.constantFrom(
    '- [ ] T1: a',
    '- [~] b (BLOCKED: x)',
    '* [✓] ~~c~~',
    '> - [ ] q',
    '# [ ] H',
    '## Verification',
    '- `npm test`',
    '```',
    '<!--',
    '\t1. [-] d',
    '',
    '**BLOCKED**',
    '- Verify: `make test`',
    '\r',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (parts) => {
      const text = ['- [ ] First', ...parts].join('\n');
      const { document: before } = loadText('markdown', text);
      const { document: after } = loadText('markdown', `${text}\n\n- [ ] Last of all\n`);
      const ids = before?.backlog.stories.map(({ id }) => id) ?? [];
      expect(after?.backlog.stories.slice(0, ids.length).map(({ id }) => id)).toEqual(ids);
    }),
    { numRuns: runs(500) },
  );
});

function lines(text: string): string[] {
  return text.split('\n');
}
