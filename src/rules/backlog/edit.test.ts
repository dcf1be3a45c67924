import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { FileProblemsError, type NewStory, type StoryEdit, type StoryFields } from '../../contracts/index.ts';
import { documentOf } from './document.fixture.ts';
import { editBacklog, loadBacklog, loadSource, propose, removeStory } from './document.ts';

const words = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('é "quoted" \\ back', 'tab\t', 'line\nbreak', '🙂', '}]{[,:', ''),
);
const title = words.map((text) => `T ${text}`);
const fields: fc.Arbitrary<StoryFields> = fc.record(
  {
    title,
    description: words,
    acceptanceCriteria: fc.array(words, { maxLength: 3 }),
    priority: fc.integer({ min: 1, max: 99 }),
    passes: fc.boolean(),
    reviewStatus: fc.constantFrom(null, 'needs_review' as const, 'changes_requested' as const, 'approved' as const),
    reviewCount: fc.nat(9),
    reviewFeedback: words,
    notes: words,
    blocked: fc.option(words.filter((text) => text !== '')),
  },
  { requiredKeys: [] },
);

/** A native story as the file has it: fields in any order, some missing, some unknown. */
const rawStory = fc
  .tuple(
    fc.record({ title, passes: fc.boolean() }),
    fc.record(
      {
        description: words,
        acceptanceCriteria: fc.array(words, { maxLength: 3 }),
        priority: fc.nat(9),
        notes: words,
        reviewCount: fc.nat(3),
        blocked: words.filter((t) => t !== ''),
        extra: fc.jsonValue({ maxDepth: 2 }),
        ' odd key"': words,
        blockd: words,
        reviewFeedbak: words,
      },
      { requiredKeys: [] },
    ),
    fc.boolean(),
  )
  .map(([base, more, swapped]) => (swapped ? { ...more, ...base } : { ...base, ...more }));
const native = fc
  .tuple(
    fc.array(rawStory, { maxLength: 4 }),
    fc.constantFrom(undefined, 2, 4, '\t'),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
    fc.constantFrom('', '\n'),
    fc.boolean(),
  )
  .map(([stories, space, lineEnd, mark, last, idLast]) => {
    const userStories = stories.map((story, index) =>
      idLast ? { ...story, id: `US-${index + 1}` } : { id: `US-${index + 1}`, ...story },
    );
    const text = JSON.stringify(
      { project: 'p', other: [1.0, { userStory: [] }], userStories, tail: null },
      null,
      space,
    );
    return (mark ? '\uFEFF' : '') + text.replaceAll('\n', lineEnd) + (last && lineEnd);
  });

type Raw = Record<string, unknown>;
const parse = (text: string): { userStories: Raw[] } & Raw => JSON.parse(text.replace(/^\uFEFF/, ''));

function expected(raw: Raw, changes: StoryFields): Raw {
  const { blocked, ...rest } = { ...raw, ...changes };
  return blocked === null || blocked === undefined ? rest : { ...rest, blocked };
}

describe('the native file', () => {
  test('any edit changes exactly the values it names', () => {
    fc.assert(
      fc.property(native, fc.array(fields, { maxLength: 3 }), fc.nat(), (text, changes, pick) => {
        const document = documentOf('tasks-json', text);
        const { stories } = document.backlog;
        if (stories.length === 0) return;
        const edits = changes.map(
          (one, index): StoryEdit => ({
            kind: 'set',
            id: stories[(pick + index) % stories.length]?.id ?? '',
            fields: one,
          }),
        );
        const after = editBacklog(document, edits);
        const merged = new Map<unknown, StoryFields>();
        for (const edit of edits)
          if (edit.kind === 'set') merged.set(edit.id, { ...merged.get(edit.id), ...edit.fields });
        const before = parse(text);
        const wanted = {
          ...before,
          userStories: before.userStories.map((raw) => expected(raw, merged.get(raw['id']) ?? {})),
        };
        expect(parse(after.text)).toEqual(wanted);
        // Under its own name it is known without reading it.
        const known = loadSource(after);
        const read = loadSource({ ...after, file: 'ralph/again.json' });
        expect(after.backlog).toEqual(read.document?.backlog);
        expect(known.document?.backlog).toEqual(read.document?.backlog);
        expect(known.problems).toEqual(read.problems.map((problem) => ({ ...problem, file: after.file })));
        for (const [at, story] of untouched(text, (id) => merged.has(id)).entries())
          expect(after.text, `story ${at}`).toContain(story);
        expect(after.text.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
        expect(after.text.endsWith('\n')).toBe(text.endsWith('\n'));
        if (text.includes('\r\n')) expect(after.text).not.toMatch(/[^\r]\n/);
      }),
      { numRuns: runs(400) },
    );
  });

  test('setting what is already there leaves every byte', () => {
    fc.assert(
      fc.property(native, (text) => {
        const document = documentOf('tasks-json', text);
        const edits = document.backlog.stories.map(
          ({ id, title: same, passes }): StoryEdit => ({ kind: 'set', id, fields: { title: same, passes } }),
        );
        expect(editBacklog(document, edits).text).toBe(text);
      }),
    );
  });

  test('an added story looks as if the writer of the file had written it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(undefined, 2, 4, '\t'),
        fc.constantFrom('\n', '\r\n'),
        (count, space, lineEnd) => {
          const story = (index: number) => ({
            id: `US-${index}`,
            title: `Story ${index}`,
            description: '',
            acceptanceCriteria: ['a', 'b'],
            priority: index,
            passes: false,
            reviewStatus: null,
            reviewCount: 0,
            reviewFeedback: '',
            notes: '',
            dependsOn: [],
          });
          const write = (stories: unknown[]) =>
            JSON.stringify({ project: 'p', userStories: stories }, null, space).replaceAll('\n', lineEnd);
          const all = Array.from({ length: count + 1 }, (_, index) => story(index + 1));
          const { id, title: name, acceptanceCriteria } = story(count + 1);
          const added: NewStory = { id, title: name, acceptanceCriteria };
          for (const kept of [0, count]) {
            const last = kept === 0 ? { ...story(1), id, title: name } : all[count];
            const after = editBacklog(documentOf('tasks-json', write(all.slice(0, kept))), [
              { kind: 'add', story: added },
            ]);
            expect(after.text).toBe(write([...all.slice(0, kept), last]));
          }
        },
      ),
      { numRuns: runs(60) },
    );
  });

  test('numbers, escapes, odd spacing and unknown fields of the story itself survive', () => {
    const text =
      '{ "userStories" : [ {"id":"A", "n": 1.50e+1,  "title":"caf\\u00e9", "acceptanceCriteria":["\\u00e9", "b"], "passes" :false } ]}';
    const fieldsToSet = { passes: true, notes: 'naïve', acceptanceCriteria: ['é', 'b', 'ü'] };
    const after = editBacklog(documentOf('tasks-json', text), [{ kind: 'set', id: 'A', fields: fieldsToSet }]);
    expect(after.text).toMatchInlineSnapshot(
      `"{ "userStories" : [ {"id":"A", "n": 1.50e+1,  "title":"caf\\u00e9", "acceptanceCriteria":["\\u00e9", "b", "\\u00fc"], "passes" :true, "notes":"na\\u00efve" } ]}"`,
    );
  });

  test('edits follow each other: a story may be changed after it was added', () => {
    const document = documentOf('tasks-json', '{"userStories":[]}');
    const after = editBacklog(document, [
      { kind: 'add', story: { id: 'A', title: 'First' } },
      { kind: 'set', id: 'A', fields: { blocked: 'waits' } },
      { kind: 'set', id: 'A', fields: { blocked: null, notes: 'n' } },
    ]);
    expect(after.backlog.stories).toMatchObject([{ id: 'A', title: 'First', notes: 'n', priority: 1 }]);
    expect(after.backlog.stories[0]).not.toHaveProperty('blocked');
  });

  test('an unknown story is a bug, a broken result is refused with its problems', () => {
    const document = documentOf('tasks-json', '{"userStories":[{"id":"A","title":"a","passes":false}]}');
    expect(() => editBacklog(document, [{ kind: 'set', id: 'B', fields: {} }])).toThrow('there is no story B');
    expect(() => editBacklog(document, [{ kind: 'set', id: 'A', fields: { dependsOn: ['A'] } }])).toThrow(
      FileProblemsError,
    );
    expect(() => editBacklog(document, [{ kind: 'set', id: 'A', fields: { reviewCount: -1 } }])).toThrow(
      FileProblemsError,
    );
    expect(() => editBacklog(document, [{ kind: 'add', story: { id: 'A', title: 'again' } }])).toThrow(
      FileProblemsError,
    );
  });
});

/** The text of each story that no edit names. */
function untouched(text: string, touched: (id: unknown) => boolean): string[] {
  const space = /\n([ \t]+)"/.exec(text)?.[1];
  return parse(text)
    .userStories.filter((raw) => !touched(raw['id']))
    .map((raw) => {
      const story = JSON.stringify(raw, null, space);
      return story.replaceAll('\n', `${text.includes('\r\n') ? '\r' : ''}\n${(space ?? '').repeat(2)}`);
    });
}

describe('foreign files', () => {
  test.each([
    [
      'passes',
      '{"stories":[{"id":"A","title":"a","passes":[]},{"id":"B","title":"b","passes":true}]}',
      '"passes":true}',
    ],
    ['done', '[{"id":1,"desc":"a","done":false},{"id":2,"desc":"b","done":true}]', '"done":true}'],
    [
      'words',
      '{"tasks":[{"id":"A","title":"a","status":"Open"},{"id":"B","title":"b","status":"Shipped"}]}',
      '"status":"Shipped"}',
    ],
    ['a word nobody used yet', '{"tasks":[{"id":"A","title":"a","status":"pending"}]}', '"status":"completed"}'],
    ['no flag at all', '[{"id":"A","description":"a","acceptance":"x"}]', '"passes":true}'],
  ])('are marked done in their own way: %s', (_name, text, mark) => {
    const document = documentOf('prd-json', text);
    const id = document.backlog.stories[0]?.id ?? '';
    const after = editBacklog(document, [
      { kind: 'set', id, fields: { passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'n' } },
    ]);
    expect(after.text).toContain(mark);
    expect(after.backlog.stories[0]).toMatchObject({
      passes: true,
      reviewStatus: 'approved',
      reviewCount: 1,
      notes: 'n',
    });
    expect(after.backlog.stories.slice(1)).toEqual(document.backlog.stories.slice(1));
  });

  test('review state goes to reviews.json, the file keeps its bytes', () => {
    const text = '{"userStories": [ {"id": "A", "title": "a", "passes": false} ]}\n';
    const edit = {
      kind: 'set',
      id: 'A',
      fields: { reviewStatus: 'changes_requested', reviewFeedback: 'no', blocked: 'why' },
    } as const;
    const after = editBacklog(documentOf('prd-json', text, '{"version":1,"mine":2}'), [edit]);
    expect(after.text).toBe(text);
    expect(after.reviewsText).toMatchInlineSnapshot(`
      "{
        "version": 1,
        "mine": 2,
        "stories": {
          "A": {
            "reviewStatus": "changes_requested",
            "reviewFeedback": "no",
            "blocked": "why"
          }
        }
      }
      "
    `);
    const free = editBacklog(after, [{ kind: 'set', id: 'A', fields: { blocked: null, reviewStatus: null } }]);
    expect(free.backlog.stories[0]).toMatchObject({ reviewStatus: null, reviewFeedback: 'no' });
    expect(free.backlog.stories[0]).not.toHaveProperty('blocked');
  });

  test('texts, criteria, priorities and dependencies are written in place where the story has them', () => {
    const text =
      '{"stories":[{"id":"A","name":"a","priority":"high","steps":["x"]},{"id":"B","name":"b","depends_on":["A"]}]}';
    const after = editBacklog(documentOf('prd-json', text), [
      {
        kind: 'set',
        id: 'A',
        fields: { title: 'A2', priority: 7, acceptanceCriteria: ['x', 'y'], dependsOn: [], description: 'more' },
      },
      { kind: 'set', id: 'B', fields: { dependsOn: [] } },
    ]);
    expect(after.text).toBe(
      '{"stories":[{"id":"A","name":"A2","priority":"high","steps":["x", "y"]},{"id":"B","name":"b","depends_on":[]}]}',
    );
    expect(after.backlog.stories).toMatchObject([{ title: 'A2', priority: 7, description: 'more' }, { dependsOn: [] }]);
  });
});

test.each([
  [
    'a list',
    '{"stories": [ {"id":"A","title":"a"}, {"id":"B","title":"b"} ]}',
    '{"stories": [ {"id":"B","title":"b"} ]}',
  ],
  [
    'the root',
    '[{"id":"B","desc":"b","done":false},\n {"id":"A","desc":"a","done":false}]\n',
    '[{"id":"B","desc":"b","done":false}]\n',
  ],
  ['a map', '{"tasks":{"A":{"title":"a"},"B":{"title":"b"}}}', '{"tasks":{"B":{"title":"b"}}}'],
])('a story is removed from %s, and every other byte stays', (_name, text, left) => {
  expect(removeStory(documentOf('prd-json', text), 'A').text).toBe(left);
});

describe('Markdown plans', () => {
  const line = fc.constantFrom(
    '- [ ] US-1: a',
    '- [x] b',
    '  - [ ] nested',
    '## Head',
    '',
    'text',
    '* [ ] c',
    '1. [X] d',
    '```',
    '> - [ ] quoted',
    '\t- [ ] tab',
    '### [ ] US-2: e',
    '<!-- x -->',
  );
  const plan = fc
    .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\uFEFF'))
    .map(([lines, lineEnd, mark]) => mark + ['- [ ] US-0: always', ...lines].join(lineEnd));

  test('ticks change one character each and nothing else', () => {
    fc.assert(
      fc.property(plan, fc.infiniteStream(fc.boolean()), (text, stream) => {
        const document = documentOf('markdown', text);
        const ticked = document.backlog.stories.filter(() => stream.next().value);
        const edits = ticked.map(({ id, passes }): StoryEdit => ({ kind: 'set', id, fields: { passes: !passes } }));
        const after = editBacklog(document, edits);
        expect(after.text.length).toBe(text.length);
        expect([...text].filter((unit, index) => unit !== [...after.text][index])).toHaveLength(ticked.length);
        const names = new Set(ticked.map(({ id }) => id));
        expect(after.backlog.stories).toEqual(
          document.backlog.stories.map((story) => (names.has(story.id) ? { ...story, passes: !story.passes } : story)),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  test('an added story is read back as it was given and leaves the others alone', () => {
    fc.assert(
      fc.property(plan, fc.constantFrom('US-77', 'cleanup', '7', '__proto__'), (text, id) => {
        const document = documentOf('markdown', text);
        const before = document.backlog.stories;
        const needs = before[0]?.id ?? '';
        const story = { id, title: 'New thing', acceptanceCriteria: ['one', 'two'], dependsOn: [needs] };
        const after = editBacklog(document, [{ kind: 'add', story }]);
        const added = after.backlog.stories.find((other) => other.id === id);
        expect(added).toMatchObject({
          title: 'New thing',
          acceptanceCriteria: ['one', 'two'],
          dependsOn: [needs],
          passes: false,
        });
        const others = after.backlog.stories.filter((other) => other !== added);
        expect(others.map(({ id: other, passes }) => [other, passes])).toEqual(
          before.map(({ id: other, passes }) => [other, passes]),
        );
      }),
      { numRuns: runs(200) },
    );
  });

  test('a new story joins the open ones in the way they are written', () => {
    const story = { id: 'T3', title: 'Third', description: 'Why.', acceptanceCriteria: ['ok'], dependsOn: ['T2'] };
    const list = editBacklog(
      documentOf('markdown', '# P\n\n* [ ] T1: One\n* [ ] T2: Two\n\n## Completed\n* [x] T0: Zero\n'),
      [{ kind: 'add', story }],
    );
    expect(list.text).toMatchInlineSnapshot(`
      "# P

      * [ ] T1: One
      * [ ] T2: Two

      * [ ] T3: Third
        Why.
        depends on: T2
        * ok

      ## Completed
      * [x] T0: Zero
      "
    `);
    const headings = editBacklog(
      documentOf('markdown', '### [ ] T1: One\n\n- a\n\n---\n\n### [ ] T2: Two\n\n- b\n\n---\n'),
      [{ kind: 'add', story }],
    );
    expect(headings.text).toMatchInlineSnapshot(`
      "### [ ] T1: One

      - a

      ---

      ### [ ] T2: Two

      - b

      ### [ ] T3: Third

      Why.
      depends on: T2

      **Acceptance Criteria:**
      - ok

      ---
      "
    `);
  });
});

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
