import { describe, expect, test } from 'vitest';
import { documentOf, describe as listed, loadText } from './document.fixture.ts';

const story = (fields: Record<string, unknown>): Record<string, unknown> => ({
  id: 'US-001',
  title: 'One',
  passes: false,
  ...fields,
});
const native = (...stories: unknown[]): string => JSON.stringify({ userStories: stories }, null, 2);
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)));

test("a misspelled field is a warning with the name that was meant, and a field of one's own is none", () => {
  const text = native(
    story({ acceptanceCriterias: ['a'], depends_on: ['US-002'], path: 'src', ticket: 'T-1' }),
    story({ id: 'US-002', verifyCommand: [], acceptanceCriteria: ['b'] }),
  );
  const { document, problems } = loadText('tasks-json', text);
  expect(document).not.toBeNull();
  expect(problems.map(({ severity, line, message, fix }) => `${severity} ${line} ${message}. ${fix}`)).toEqual([
    'warning 7 US-001: the field "acceptanceCriterias" is ignored. Did you mean "acceptanceCriteria"?',
    'warning 10 US-001: the field "depends_on" is ignored. Did you mean "dependsOn"?',
    'warning 20 US-002: the field "verifyCommand" is ignored. Did you mean "verifyCommands"?',
  ]);
});

describe('a native file that cannot be used is refused with line and fix', () => {
  test('empty', () => {
    expect(listed(loadText('tasks-json', ''))).toMatchInlineSnapshot(
      `"ralph/tasks.json:1: error schema/empty: the file is empty → Write at least {"userStories": []}, or restore the file from git."`,
    );
    expect(listed(loadText('tasks-json', '\uFEFF \r\n'))).toMatchInlineSnapshot(
      `"ralph/tasks.json:1: error schema/empty: the file is empty → Write at least {"userStories": []}, or restore the file from git."`,
    );
    expect(listed(loadText('tasks-json', '{}'))).toMatchInlineSnapshot(
      `"ralph/tasks.json:1: error schema/required: "userStories" is missing → Add "userStories": an array of stories."`,
    );
    expect(listed(loadText('tasks-json', 'null'))).toMatchInlineSnapshot(
      `"ralph/tasks.json:1: error schema/no-stories: the file must contain an object with a list of stories → Write {"userStories": [ … ]}."`,
    );
  });

  test('truncated or broken JSON', () => {
    const whole = native(story({}), story({ id: 'US-002' }));
    expect(listed(loadText('tasks-json', whole.slice(0, -40)))).toMatchInlineSnapshot(
      `"ralph/tasks.json:10: error schema/syntax: the JSON ends here: the file is truncated → Restore the file from git; what comes after this line is missing. \`ralph import ralph/tasks.json --repair\` tries it for you."`,
    );
    expect(listed(loadText('tasks-json', whole.replace('},', '}')))).toMatchInlineSnapshot(
      `"ralph/tasks.json:8: error schema/syntax: not valid JSON at column 5: a comma was expected → Fix the syntax at this line; the mistake may be at the end of the line before. \`ralph import ralph/tasks.json --repair\` tries it for you."`,
    );
    expect(listed(loadText('tasks-json', whole.replace('"One",', '"One", // first')))).toMatchInlineSnapshot(
      `"ralph/tasks.json:5: error schema/syntax: not valid JSON at column 23: comments are not allowed in JSON → Fix the syntax at this line; the mistake may be at the end of the line before. \`ralph import ralph/tasks.json --repair\` tries it for you."`,
    );
    expect(listed(loadText('tasks-json', '{"userStories": [],}'))).toMatchInlineSnapshot(
      `"ralph/tasks.json:1: error schema/syntax: not valid JSON at column 20: a property name in double quotes was expected → Fix the syntax at this line; the mistake may be at the end of the line before. \`ralph import ralph/tasks.json --repair\` tries it for you."`,
    );
    expect(listed(loadText('tasks-json', '['.repeat(200_000)))).toMatchInlineSnapshot(
      `"ralph/tasks.json:1: error schema/syntax: not valid JSON at column 1: the file cannot be read as JSON → Fix the syntax at this line; the mistake may be at the end of the line before. \`ralph import ralph/tasks.json --repair\` tries it for you."`,
    );
  });

  test('cut off anywhere, it is refused and never crashes', () => {
    const whole = native(story({ notes: 'é "x" \\' }));
    for (let length = 0; length < whole.length; length++) {
      expect(loadText('tasks-json', whole.slice(0, length)).document).toBeNull();
    }
  });

  test('no text', () => {
    expect(listed(loadText('tasks-json', bytes('{\n', [0, 1, 2], '}')))).toMatchInlineSnapshot(
      `"ralph/tasks.json:2: error schema/binary: the file is binary: it contains a NUL byte → Restore the file from git, or rewrite it as plain text."`,
    );
    expect(listed(loadText('tasks-json', bytes('{\n"a":\n"', [0xe9], '"}')))).toMatchInlineSnapshot(
      `"ralph/tasks.json:3: error schema/encoding: the file is not valid UTF-8 → Save it again with the encoding UTF-8."`,
    );
    expect(listed(loadText('tasks-json', bytes([0xff, 0xfe, 0x7b, 0], '}')))).toMatchInlineSnapshot(
      `"ralph/tasks.json:1: error schema/encoding: the file is UTF-16, not UTF-8 → Save it again with the encoding UTF-8."`,
    );
    expect(listed(loadText('markdown', bytes('- [ ] a\n', [0, 0])))).toMatchInlineSnapshot(
      `"ralph/plan.md:2: error schema/binary: the file is binary: it contains a NUL byte → Restore the file from git, or rewrite it as plain text."`,
    );
  });

  test('wrong types, each field on its own line', () => {
    const wrong = story({
      title: 7,
      description: [],
      acceptanceCriteria: 'works',
      priority: 'high',
      passes: 'yes',
      reviewStatus: 'needs review',
      reviewCount: -1,
      reviewFeedback: null,
      notes: 1,
      dependsOn: 'US-000',
      verifyCommands: [1],
      blocked: true,
    });
    expect(listed(loadText('tasks-json', native(wrong, 'story', { passes: true })))).toMatchInlineSnapshot(`
      "ralph/tasks.json:5: error schema/type: US-001: "title" is 7, expected a string that is not empty → Make "title" a string that is not empty.
      ralph/tasks.json:6: error schema/type: US-001: "passes" is "yes", expected true or false → Make "passes" true or false.
      ralph/tasks.json:7: error schema/type: US-001: "description" is an empty array, expected a string → Make "description" a string.
      ralph/tasks.json:8: error schema/type: US-001: "acceptanceCriteria" is "works", expected an array of strings → Make "acceptanceCriteria" an array of strings.
      ralph/tasks.json:9: error schema/type: US-001: "priority" is "high", expected a number, 1 first → Make "priority" a number, 1 first.
      ralph/tasks.json:10: error schema/type: US-001: "reviewStatus" is "needs review", expected null, "needs_review", "changes_requested" or "approved" → Did you mean "needs_review"?
      ralph/tasks.json:11: error schema/type: US-001: "reviewCount" is -1, expected an integer of 0 or more → Make "reviewCount" an integer of 0 or more.
      ralph/tasks.json:12: error schema/type: US-001: "reviewFeedback" is null, expected a string → Make "reviewFeedback" a string.
      ralph/tasks.json:13: error schema/type: US-001: "notes" is 1, expected a string → Make "notes" a string.
      ralph/tasks.json:14: error schema/type: US-001: "dependsOn" is "US-000", expected an array of story ids → Make "dependsOn" an array of story ids.
      ralph/tasks.json:15: error schema/type: US-001: "verifyCommands" is an array, expected an array of strings → Make "verifyCommands" an array of strings.
      ralph/tasks.json:18: error schema/type: US-001: "blocked" is true, expected a string, the reason → Make "blocked" a string, the reason.
      ralph/tasks.json:20: error schema/type: story 2 is "story", expected an object → Write it as {"id": …, "title": …}.
      ralph/tasks.json:21: error schema/required: story 3: "id" is missing → Add "id": a string that is not empty, such as "US-001".
      ralph/tasks.json:21: error schema/required: story 3: "title" is missing → Add "title": a string that is not empty."
    `);
    expect(
      listed(loadText('tasks-json', '{\n"project": 1,\n"verifyCommands": "npm test",\n"userStories": {}}')),
    ).toMatchInlineSnapshot(`
      "ralph/tasks.json:2: error schema/type: "project" is 1, expected a string → Make "project" a string.
      ralph/tasks.json:3: error schema/type: "verifyCommands" is "npm test", expected an array of strings → Make "verifyCommands" an array of strings.
      ralph/tasks.json:4: error schema/type: "userStories" is an object, expected an array of stories → Make "userStories" an array of stories."
    `);
  });

  test('ids twice, unknown dependencies, cycles', () => {
    const stories = [story({}), story({ title: 'Two' }), story({ id: 'US-002', dependsOn: ['US-0O1', 'nothing'] })];
    expect(listed(loadText('tasks-json', native(...stories)))).toMatchInlineSnapshot(`
      "ralph/tasks.json:8: error schema/unique-id: US-001: the id is already that of the story at line 3 → Give one of the two another id.
      ralph/tasks.json:13: error schema/unknown-dependency: US-002: depends on "US-0O1", which is not in this backlog → Did you mean "US-001"?
      ralph/tasks.json:13: error schema/unknown-dependency: US-002: depends on "nothing", which is not in this backlog → Add that story, or remove the id from its dependencies."
    `);
    const ring = ['A', 'B', 'C'].map((id, index, all) => story({ id, dependsOn: [all[(index + 1) % 3]] }));
    expect(
      listed(loadText('tasks-json', native(...ring, story({ id: 'D', dependsOn: ['D', 'A'] })))),
    ).toMatchInlineSnapshot(`
      "ralph/tasks.json:3: error schema/dependency-cycle: stories wait for each other: A → B → C → A → Remove one of these dependencies.
      ralph/tasks.json:27: error schema/dependency-cycle: stories wait for each other: D → D → Remove one of these dependencies."
    `);
  });

  test('a later version', () => {
    expect(listed(loadText('tasks-json', '{\n  "version": 2,\n  "userStories": []\n}'))).toMatchInlineSnapshot(
      `"ralph/tasks.json:2: error schema/version: the file has version 2; this ralph reads version 1 → Use the newer ralph that wrote it."`,
    );
    expect(loadText('tasks-json', '{"version": "2.0.0", "userStories": []}').problems).toEqual([]);
  });

  test('a broken reviews.json', () => {
    const plan = '- [ ] A1: x\n';
    expect(listed(loadText('markdown', plan, '{"version":'))).toMatchInlineSnapshot(
      `"ralph/reviews.json:1: error schema/syntax: the JSON ends here: the file is truncated → Restore the file from git, or delete it: review state then starts over."`,
    );
    expect(listed(loadText('markdown', plan, '{"version":2,"stories":[]}'))).toMatchInlineSnapshot(`
      "ralph/reviews.json:1: error schema/version: the file has version 2; this ralph reads version 1 → Use the newer ralph that wrote it.
      ralph/reviews.json:1: error schema/type: "stories" must be an object with one entry per story → Restore the file from git."
    `);
    expect(
      listed(loadText('markdown', plan, '{"stories":{"A1":{\n"reviewStatus":"fine",\n"reviewCount":1.5}}}')),
    ).toMatchInlineSnapshot(`
      "ralph/reviews.json:2: error schema/type: A1: "reviewStatus" is "fine", expected null, "needs_review", "changes_requested" or "approved" → Make "reviewStatus" null, "needs_review", "changes_requested" or "approved".
      ralph/reviews.json:3: error schema/type: A1: "reviewCount" is 1.5, expected an integer of 0 or more → Make "reviewCount" an integer of 0 or more."
    `);
  });
});

test('foreign files without stories are refused clearly', () => {
  expect(listed(loadText('prd-json', '{"prd":{"phases":[{"id":"P1","goal":"g"}]}}'))).toMatchInlineSnapshot(
    `"ralph/prd.json:1: error schema/no-stories: no list of stories was found in this document: 1 entry under prd.phases has no done flag → Put the stories into "userStories", each with an "id", a "title" and "passes"."`,
  );
  expect(listed(loadText('prd-json', '[]'))).toMatchInlineSnapshot(
    `"ralph/prd.json:1: error schema/no-stories: no list of stories was found in this document → Put the stories into "userStories", each with an "id", a "title" and "passes"."`,
  );
  expect(listed(loadText('markdown', ''))).toMatchInlineSnapshot(
    `"ralph/plan.md:1: error schema/empty: the file is empty → Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it."`,
  );
  expect(listed(loadText('markdown', '# Plan\n\n- one\n- two\n'))).toMatchInlineSnapshot(
    `"ralph/plan.md:1: error schema/no-stories: the plan has no check boxes, so it names no stories → Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it."`,
  );
});

test('missing optional fields have their defaults, byte order mark and CRLF are read and kept', () => {
  const text =
    '\uFEFF{\r\n"userStories": [\r\n{"id": "A", "title": "a", "passes": false},\r\n{"id": "B", "title": "b", "passes": true}]}\r\n';
  const document = documentOf('tasks-json', text);
  expect(document.text).toBe(text);
  expect(document.backlog.stories).toEqual([
    {
      id: 'A',
      safeId: 'A',
      title: 'a',
      description: '',
      acceptanceCriteria: [],
      priority: 1,
      passes: false,
      reviewStatus: null,
      reviewCount: 0,
      reviewFeedback: '',
      notes: '',
      dependsOn: [],
      line: 3,
    },
    expect.objectContaining({ id: 'B', priority: 2, passes: true, line: 4 }),
  ]);
});

test('lines of stories are right in every layout', () => {
  const layouts = [
    '[\n{"id":"A","title":"[\\n{"},{"id":"B","title":"b"}\n]',
    '[{"id":"A",\n"title":"a"},\n  {"id":"B","title":"b"}]',
    '[\n  {"id":"A","title":"a","x":[\n  {},\n  {}]}, {"id":"B","title":"b"}]',
  ];
  const lines = layouts.map((list) =>
    documentOf(
      'tasks-json',
      `{"userStories":${list.replaceAll('"title"', '"passes":true,"title"')}}`,
    ).backlog.stories.map(({ line }) => line),
  );
  expect(lines).toEqual([
    [2, 2],
    [1, 3],
    [2, 4],
  ]);
});

test('a tasks.json of another shape is read as a foreign form', () => {
  expect(documentOf('tasks-json', '{"version":1,"tasks":[{"id":"a","title":"A","status":"completed"}]}')).toMatchObject(
    {
      format: 'prd-json',
      backlog: { stories: [{ id: 'a', passes: true }] },
    },
  );
  expect(documentOf('tasks-json', '[{"id":"T1","description":"do","acceptance":"ok"}]').format).toBe('prd-json');
  expect(documentOf('tasks-json', '{"userStories":[{"id":"A","title":"a","status":"done"}]}').format).toBe('prd-json');
});

test('review state lies over foreign stories; a mark that a person took back starts the story again', () => {
  const reviews = JSON.stringify({
    version: 1,
    stories: {
      T1: { reviewStatus: 'needs_review', reviewCount: 2, blocked: 'b' },
      T2: { reviewStatus: 'approved', reviewCount: 1 },
      gone: {},
    },
  });
  expect(documentOf('markdown', '- [ ] T1: a\n- [ ] T2: b\n', reviews).backlog.stories).toMatchObject([
    { reviewStatus: 'needs_review', reviewCount: 2, blocked: 'b' },
    { reviewStatus: null, reviewCount: 1, passes: false },
  ]);
});

test('nesting without end is refused, not followed', () => {
  const deep = `${'{"prd":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  expect(loadText('prd-json', deep).problems).toMatchObject([{ rule: 'schema/depth' }]);
});

test('a chain of 20,000 dependencies is no problem', () => {
  const stories = Array.from({ length: 20_000 }, (_, index) =>
    story({ id: `S${index}`, dependsOn: index < 19_999 ? [`S${index + 1}`] : [] }),
  );
  expect(documentOf('tasks-json', native(...stories)).backlog.stories.at(-1)?.line).toBe(
    native(...stories).split('\n').length - 7,
  );
});
