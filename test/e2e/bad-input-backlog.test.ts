// @module-tag long
import { describe, expect, test } from 'vitest';
import { BINARY, BOM, GOOD, open, project, refusals, story, tasks } from '../support/bad-input.ts';

describe('a backlog', () => {
  test('tasks.json that cannot be used is refused with every problem in it', async () => {
    await open(GOOD);
    expect(
      await refusals('ralph/tasks.json', {
        empty: '',
        'blank lines': '\n\n',
        truncated: tasks([story('US-001')]).slice(0, 180),
        binary: BINARY,
        'a list of numbers': '[1, 2, 3]\n',
        'a string': '"tasks"\n',
        'wrong types': tasks(
          [story('US-001', { passes: 'no', reviewCount: -1, reviewStatus: 'needs-review', dependsOn: 'US-002' }), 7],
          { verifyCommands: 'npm test' },
        ),
        'missing fields': tasks([{ passes: false }]),
        'no list of stories': tasks({}),
        'duplicate ids': tasks([story('US-001'), story('US-002'), story('US-001')]),
        cycle: tasks([
          story('US-001', { dependsOn: ['US-002'] }),
          story('US-002', { dependsOn: ['US-003'] }),
          story('US-003', { dependsOn: ['US-001'] }),
        ]),
        'unknown dependency': tasks([story('US-001'), story('US-002', { dependsOn: ['US-01'] })]),
        'dependency on itself': tasks([story('US-001', { dependsOn: ['US-001'] })]),
        'later version': tasks([story('US-001')], { version: 2 }),
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:1: the file is empty
          fix: Write at least {"userStories": []}, or restore the file from git.

      # blank lines
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:1: the file is empty
          fix: Write at least {"userStories": []}, or restore the file from git.

      # truncated
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:9: not valid JSON at column 9: a string is not closed
          fix: Fix the syntax at this line; the mistake may be at the end of the line before. \`ralph import ralph/tasks.json --repair\` tries it for you.

      # binary
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:1: the file is binary: it contains a NUL byte
          fix: Restore the file from git, or rewrite it as plain text.

      # a list of numbers
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:1: "userStories" is missing
          fix: Add "userStories": an array of stories.

      # a string
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:1: the file must contain an object with a list of stories
          fix: Write {"userStories": [ … ]}.

      # wrong types
      Error: ralph/tasks.json cannot be used: 6 errors
        ralph/tasks.json:3: "verifyCommands" is "npm test", expected an array of strings
          fix: Make "verifyCommands" an array of strings.
        ralph/tasks.json:11: US-001: "passes" is "no", expected true or false
          fix: Make "passes" true or false.
        ralph/tasks.json:12: US-001: "reviewCount" is -1, expected an integer of 0 or more
          fix: Make "reviewCount" an integer of 0 or more.
        ralph/tasks.json:13: US-001: "reviewStatus" is "needs-review", expected null, "needs_review", "changes_requested" or "approved"
          fix: Did you mean "needs_review"?
        ralph/tasks.json:14: US-001: "dependsOn" is "US-002", expected an array of story ids
          fix: Make "dependsOn" an array of story ids.
        ralph/tasks.json:16: story 2 is 7, expected an object
          fix: Write it as {"id": …, "title": …}.

      # missing fields
      Error: ralph/tasks.json cannot be used: 2 errors
        ralph/tasks.json:5: story 1: "id" is missing
          fix: Add "id": a string that is not empty, such as "US-001".
        ralph/tasks.json:5: story 1: "title" is missing
          fix: Add "title": a string that is not empty.

      # no list of stories
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:4: "userStories" is an object, expected an array of stories
          fix: Make "userStories" an array of stories.

      # duplicate ids
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:21: US-001: the id is already that of the story at line 5
          fix: Give one of the two another id.

      # cycle
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:5: stories wait for each other: US-001 → US-002 → US-003 → US-001
          fix: Remove one of these dependencies.

      # unknown dependency
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:13: US-002: depends on "US-01", which is not in this backlog
          fix: Did you mean "US-001"?

      # dependency on itself
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:5: stories wait for each other: US-001 → US-001
          fix: Remove one of these dependencies.

      # later version
      Error: ralph/tasks.json cannot be used: 1 error
        ralph/tasks.json:4: the file has version 2; this ralph reads version 1
          fix: Use the newer ralph that wrote it.
      "
    `);
  });

  test('plan.md that cannot be used is refused', async () => {
    await open({ ...GOOD, backlog: { path: 'ralph/plan.md', text: '- [ ] US-001: Say one\n' } });
    expect(
      await refusals('ralph/plan.md', {
        empty: '',
        binary: BINARY,
        'no boxes': '# A plan\n\nWe should do something.\n',
        'only boxes that are not stories': '```\n- [ ] in code\n```\n',
        cycle: '- [ ] US-001: one\n  - Depends on: US-002\n- [ ] US-002: two\n  - Depends on: US-001\n',
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: ralph/plan.md cannot be used: 1 error
        ralph/plan.md:1: the file is empty
          fix: Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it.

      # binary
      Error: ralph/plan.md cannot be used: 1 error
        ralph/plan.md:1: the file is binary: it contains a NUL byte
          fix: Restore the file from git, or rewrite it as plain text.

      # no boxes
      Error: ralph/plan.md cannot be used: 1 error
        ralph/plan.md:1: the plan has no check boxes, so it names no stories
          fix: Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it.

      # only boxes that are not stories
      Error: ralph/plan.md cannot be used: 1 error
        ralph/plan.md:1: the plan has no check boxes, so it names no stories
          fix: Write each story as "- [ ] US-001: Title", its acceptance criteria as a list below it.

      # cycle
      Error: ralph/plan.md cannot be used: 1 error
        ralph/plan.md:1: stories wait for each other: US-001 → US-002 → US-001
          fix: Remove one of these dependencies.
      "
    `);
  });

  test('prd.json that cannot be used is refused', async () => {
    await open({
      ...GOOD,
      backlog: {
        path: 'ralph/prd.json',
        text: '{ "stories": [{ "id": "US-001", "title": "one", "passes": false }] }\n',
      },
    });
    expect(
      await refusals('ralph/prd.json', {
        empty: '',
        truncated: '{ "stories": [{ "id": "US-001", "tit',
        binary: BINARY,
        'a number': '42\n',
        'no stories': '{ "project": "none" }\n',
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: ralph/prd.json cannot be used: 1 error
        ralph/prd.json:1: the file is empty
          fix: Write at least {"userStories": []}, or restore the file from git.

      # truncated
      Error: ralph/prd.json cannot be used: 1 error
        ralph/prd.json:1: not valid JSON at column 33: a string is not closed
          fix: Fix the syntax at this line; the mistake may be at the end of the line before. \`ralph import ralph/prd.json --repair\` tries it for you.

      # binary
      Error: ralph/prd.json cannot be used: 1 error
        ralph/prd.json:1: the file is binary: it contains a NUL byte
          fix: Restore the file from git, or rewrite it as plain text.

      # a number
      Error: ralph/prd.json cannot be used: 1 error
        ralph/prd.json:1: the file must contain an object with a list of stories
          fix: Write {"userStories": [ … ]}.

      # no stories
      Error: ralph/prd.json cannot be used: 1 error
        ralph/prd.json:1: no list of stories was found in this document
          fix: Put the stories into "userStories", each with an "id", a "title" and "passes".
      "
    `);
  });

  test('reviews.json that cannot be used is refused', async () => {
    await open({ ...GOOD, backlog: { path: 'ralph/plan.md', text: '- [ ] US-001: Say one\n' } });
    expect(
      await refusals('ralph/reviews.json', {
        empty: '',
        truncated: '{ "version": 1, "stories": { "US-001": {',
        binary: BINARY,
        'a list': '[]\n',
        'wrong types':
          '{ "version": 1, "stories": { "US-001": { "reviewStatus": "maybe", "reviewCount": -1 }, "US-002": 3 } }\n',
        'later version': '{ "version": 2, "stories": {} }\n',
      }),
    ).toMatchInlineSnapshot(`
      "# empty
      Error: ralph/plan.md cannot be used: 1 error
        ralph/reviews.json:1: the file is empty
          fix: Restore the file from git, or delete it: review state then starts over.

      # truncated
      Error: ralph/plan.md cannot be used: 1 error
        ralph/reviews.json:1: the JSON ends here: the file is truncated
          fix: Restore the file from git, or delete it: review state then starts over.

      # binary
      Error: ralph/plan.md cannot be used: 1 error
        ralph/reviews.json:1: the file is binary: it contains a NUL byte
          fix: Restore the file from git, or rewrite it as plain text.

      # a list
      Error: ralph/plan.md cannot be used: 1 error
        ralph/reviews.json:1: the file must contain an object
          fix: Restore the file from git, or delete it.

      # wrong types
      Error: ralph/plan.md cannot be used: 3 errors
        ralph/reviews.json:1: US-001: "reviewStatus" is "maybe", expected null, "needs_review", "changes_requested" or "approved"
          fix: Make "reviewStatus" null, "needs_review", "changes_requested" or "approved".
        ralph/reviews.json:1: US-001: "reviewCount" is -1, expected an integer of 0 or more
          fix: Make "reviewCount" an integer of 0 or more.
        ralph/reviews.json:1: the entry of US-002 must be an object
          fix: Restore the file from git.

      # later version
      Error: ralph/plan.md cannot be used: 1 error
        ralph/reviews.json:1: the file has version 2; this ralph reads version 1
          fix: Use the newer ralph that wrote it.
      "
    `);
  });

  test.each([
    ['tasks.json', tasks([story('US-001')]), 'ralph/tasks.json'],
    ['plan.md', '# Plan\n\n- [ ] US-001: Say one\n  - it works\n', 'ralph/plan.md'],
    [
      'prd.json',
      '{\n  "stories": [\n    { "id": "US-001", "title": "one", "passes": false }\n  ]\n}\n',
      'ralph/prd.json',
    ],
  ])('%s with a byte order mark and CRLF works, and keeps both', async (_name, text, path) => {
    const backlog = { path, text: BOM + text.replaceAll('\n', '\r\n') };
    await open({ ...GOOD, backlog });
    const { code, stdout, stderr } = await project.run();
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    const after = await project.read(path);
    expect(after.startsWith(BOM)).toBe(true);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(after).not.toBe(backlog.text);
  });
});
