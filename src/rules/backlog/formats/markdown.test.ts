import { describe, expect, test } from 'vitest';
import { documentOf, loadText } from '../document.fixture.ts';
import { editBacklog } from '../document.ts';
import { editMarkdown } from './markdown.ts';
import { formatTitleLine, parseTitleLine } from './markdown-title.ts';

const read = (text: string) => documentOf('markdown', text).backlog.stories;

test('a plan of lists: ids, criteria, description, dependencies', () => {
  const [one, two] = read(
    [
      '# My plan',
      '',
      '## High',
      '- [x] US-001: First thing',
      '  It goes on',
      '  over lines.',
      '',
      '  - criterion one',
      '    continued',
      '  - [ ] criterion two',
      '',
      '  Closing words.',
      '',
      '- [ ] **US-002** — Second (depends: US-001, whatever)',
      '  - depends on: US-001 and US-001',
      '',
      '```',
      '- [ ] no story',
      '```',
      '',
      '## Notes',
      '- plain',
    ].join('\n'),
  );
  expect(one).toMatchObject({
    id: 'US-001',
    title: 'First thing',
    passes: true,
    dependsOn: [],
    line: 4,
    priority: 1,
    acceptanceCriteria: ['criterion one continued', 'criterion two Closing words.'],
    description: 'It goes on\nover lines.',
  });
  expect(two).toMatchObject({
    id: 'US-002',
    title: 'Second',
    passes: false,
    acceptanceCriteria: [],
    dependsOn: ['US-001'],
    line: 14,
  });
});

test('headings with boxes are the stories, lists below them the criteria', () => {
  const stories = read(
    '## [ ] no, a heading too\n### [x] T1: One\n**Priority:** high\n**Depends on:** none\n\nWhy.\n\n**Tasks:**\n- [x] step\n\n**Acceptance Criteria:**\n- [ ] works\n- [ ] fast\n\n---\n\n### [ ] T2: Two\n- [ ] all\n- lists\n#### Details\nmore\n## Other\ntext\n',
  );
  expect(stories.map(({ id, passes }) => [id, passes])).toEqual([
    [expect.stringMatching(/^no-a-heading-too-/), false],
    ['T1', true],
    ['T2', false],
  ]);
  expect(stories[1]).toMatchObject({ acceptanceCriteria: ['works', 'fast'], priority: 1, dependsOn: [] });
  expect(stories[1]?.description).toBe('**Priority:** high\n**Depends on:** none\n\nWhy.\n\n**Tasks:**\n- [x] step');
  expect(stories[2]).toMatchObject({
    acceptanceCriteria: ['all', 'lists'],
    priority: 2,
    description: '#### Details\nmore',
  });
});

test('boxes under plain bullets are stories, boxes under boxes are not', () => {
  expect(read('- Phase\n  - [ ] T1: a\n    - [ ] nested\n  - [x] T2: b\n').map(({ id }) => id)).toEqual(['T1', 'T2']);
});

test('what only the reference parser understands is read as well', () => {
  expect(read('<details>\n\n- [ ] T1: a\n\n- [x] T2: b\n\n</details>\n').map(({ id, passes }) => [id, passes])).toEqual(
    [
      ['T1', false],
      ['T2', true],
    ],
  );
});

test('sections that repeat what is done keep every box, with ids of their own', () => {
  const [first, second, third, fourth] = read('- [ ] Do it\n- [ ] T1: x\n## Completed\n- [x] **Do it**\n- [x] T1: x\n');
  expect(second?.id).toBe('T1');
  expect(third?.id).toBe(`${first?.id}-2`);
  expect(fourth?.id).toBe('T1-2');
});

test.each([
  ['US-001: Title', 'US-001', 'Title'],
  ['**US-001**: Title', 'US-001', 'Title'],
  ['**P1.1** Build `x.rs` - parser', 'P1.1', 'Build `x.rs` - parser'],
  ['**D2-fix — Drop it**', 'D2-fix', 'Drop it'],
  ['**M1: Name** — meaning', 'M1', 'Name'],
  ['`T1` Title', 'T1', 'Title'],
  ['[T1] Title', 'T1', 'Title'],
  ['T1 - Title', 'T1', 'Title'],
  ['T012 [P] [US1] Title in src/a.ts', 'T012', 'Title in src/a.ts'],
  ['Task 1.2: Title', 'Task 1.2', 'Title'],
  ['1.2 Title', '1.2', 'Title'],
  ['3. Title', '3', 'Title'],
  ['US-FINAL: Title', 'US-FINAL', 'Title'],
  ['**Bold name** — and what it means', null, 'Bold name'],
  ['~~Title~~ ✅', null, 'Title'],
  ['[T1](docs/t1.md) linked', null, '[T1](docs/t1.md) linked'],
  ['UTF-8 everywhere', null, 'UTF-8 everywhere'],
  ['S3 upload', null, 'S3 upload'],
  ['3 retries', null, '3 retries'],
  ['Title <!-- id: my/own -->', 'my/own', 'Title'],
  ['[AB-12](https://example.org/AB-12) Title', 'AB-12', 'Title'],
  ['T1：Title', 'T1', 'Title'],
  ['T1) Title', 'T1', 'Title'],
  ['#7 Title', '7', 'Title'],
  ['**#7 Title** — more', '7', 'Title'],
  ['[1.2] Title', '1.2', 'Title'],
  ['**[1.2]** Title', '1.2', 'Title'],
  ['**#7** Title', '7', 'Title'],
  ['**3.** Title', '3', 'Title'],
  ['**404** is shown', null, '404 is shown'],
  ['🚀 T1: Title', 'T1', 'Title'],
  ['🚀 Title', null, '🚀 Title'],
  ['[P1] T4: Title', 'T4', 'Title'],
  ['**[P0]** Title', null, 'Title'],
  ['T1: Title <!-- a remark -->', 'T1', 'Title'],
  ['T1: Title (needs T2, T3)', 'T1', 'Title'],
  ['T1: Title — depends on T2', 'T1', 'Title'],
  ['T1: Title (after login)', 'T1', 'Title (after login)'],
])('the line %j has the id %j and the title %j', (line, ownId, title) => {
  expect(parseTitleLine(line)).toMatchObject({ ownId, title });
});

test('ids that no visible form carries are pinned in a comment', () => {
  expect(formatTitleLine('US-9', 'T')).toBe('US-9: T');
  expect(parseTitleLine(formatTitleLine('clean up', 'T')).title).toBe('T');
  expect(parseTitleLine(formatTitleLine('cleanup', 'T\nx'))).toMatchObject({ ownId: 'cleanup', title: 'T x' });
});

test('what is quoted is no story', () => {
  expect(read('- [ ] T1: a\n\n> - [ ] T2: quoted\n').map(({ id }) => id)).toEqual(['T1']);
});

test('boxes of other tools count: ticks are done, marks between are not', () => {
  const plan = '- [✓] a\n- [X] b\n- [~] c\n- [-] d\n- [/] e\n- [!] f\n- [>] g\n### not\n- [?] h\n- [z] no box\n';
  expect(read(plan).map(({ title, passes }) => `${title}${passes ? ' done' : ''}`)).toEqual([
    'a done',
    'b done',
    ...['c', 'd', 'e', 'f', 'g', 'h'],
  ]);
});

test.each([
  ['T1: Log in (BLOCKED: no key)', 'Log in', 'no key'],
  ['T1: Log in (BLOCKED)', 'Log in', 'the plan says: blocked'],
  ['T1: Log in (BLOCKED waiting for a key)', 'Log in', 'waiting for a key'],
  ['T1: Log in - later (cancelled - too big)', 'Log in - later', 'too big'],
  ['T1: Log in **[BLOCKED]**', 'Log in', 'the plan says: blocked'],
  ['T1: Log in — BLOCKED: no key', 'Log in', 'no key'],
  ['⛔ T1: Log in', 'Log in', 'the plan says: blocked'],
  ['T1: ~~Log in~~', 'Log in', 'struck out'],
  ['T1: ~~Log in~~ — moved to v2', 'Log in — moved to v2', 'struck out: moved to v2'],
])('"%s" waits for people', (line, title, blocked) => {
  expect(read(`- [ ] ${line}\n`)).toMatchObject([{ id: 'T1', title, blocked, passes: false }]);
  expect(read(`- [x] ${line}\n`)[0]).not.toHaveProperty('blocked');
});

test.each([
  'T1: Skip (blocked frames are counted)',
  'T1: Use ~~redis~~ postgres',
  'T1: Unblock the queue',
  'T1: Log in (deferred)',
])('"%s" does not', (line) => {
  expect(read(`- [ ] ${line}\n`)[0]).not.toHaveProperty('blocked');
});

test.each([
  ['T1: x ⛔', 'x', 'the plan says: blocked'],
  ['T1: 🚫 x', 'x', 'the plan says: blocked'],
  ['T1: x ❌ cancelled: too big', 'x', 'too big'],
  ['T1: x — cancelled', 'x', 'the plan says: cancelled'],
  ['T1: x (blocked: no key) (depends on T2)', 'x', 'no key'],
  ['T1: BLOCKED - waiting for a key', 'waiting for a key', 'the plan says: blocked'],
  ['T1: (on hold) x', 'x', 'the plan says: on hold'],
  ['**Log in** (BLOCKED: no key): people log in', 'Log in', 'no key'],
  ['**T1**: x **BLOCKED** — no key', 'x', 'no key'],
])('"%s" is called off or held', (line, title, blocked) => {
  expect(read(`- [ ] ${line}\n`)).toMatchObject([{ title, blocked }]);
});

test.each([
  'T1: Log in (deferred to v2)',
  'T1: Log in ⏸️ deferred',
  'T1: Handle (deferred) promises',
  'T1: Handle (cancelled) orders in the list',
  'T1: Show [BLOCKED] users in red',
  'T1: Explain what a ⛔ sign means to people',
  'T1: The **skipped** tests are counted',
  'T1: Write the test of the subnet (SKIPPED - TODO)',
  'T1: Let people skip - blocked or not - a step',
])('"%s" is open, and its title whole', (line) => {
  const [story] = read(`- [ ] ${line}\n`);
  expect(story).not.toHaveProperty('blocked');
  expect(story?.title).toBe(line.slice(4).replaceAll('**', ''));
});

test('a box with a dash is called off until somebody frees it', () => {
  const before = documentOf('markdown', '- [-] T1: a\n- [~] T2: b\n- [/] T3: c\n- [>] T4: d\n');
  expect(before.backlog.stories.map(({ blocked }) => blocked !== undefined)).toEqual([true, false, false, false]);
  const after = editBacklog(before, [{ kind: 'set', id: 'T1', fields: { blocked: null } }]);
  expect(after.text).toBe('- [ ] T1: a\n- [~] T2: b\n- [/] T3: c\n- [>] T4: d\n');
});

const BOXES: readonly (readonly [string, string, string, boolean])[] = [
  ['### 2. [ ] Title', '### 2. [x] Title', 'Title', false],
  ['### Task 1: Setup [x]', '### Task 1: Setup [ ]', 'Setup', true],
  ['### US-001: [ ] Log in', '### US-001: [x] Log in', 'Log in', false],
  ['#### - [x] Title', '#### - [ ] Title', 'Title', true],
  ['### ✅ [x] Title', '### ✅ [ ] Title', 'Title', true],
  ['### [] Title', '### [x] Title', 'Title', false],
  ['- **[x]** Title', '- **[ ]** Title', 'Title', true],
  ['- **[ ] Title**', '- **[x] Title**', 'Title', false],
  ['- [ ]* 2.3 Title', '- [x]* 2.3 Title', 'Title', false],
  ['- [x]Title', '- [ ]Title', 'Title', true],
  ['- [] Title', '- [x] Title', 'Title', false],
  ['* [  ] Title', '* [x ] Title', 'Title', false],
  ['- [ x ] Title', '- [   ] Title', 'Title', true],
  ['- [✅️] Title', '- [ ] Title', 'Title', true],
  ['- [🔄] Title', '- [x] Title', 'Title', false],
  ['• [ ] Title', '• [x] Title', 'Title', false],
  ['[ ] Title', '[x] Title', 'Title', false],
  ['-[ ] Title', '-[x] Title', 'Title', false],
  ['– [ ] Title', '– [x] Title', 'Title', false],
  ['-\u00A0[ ] Title', '-\u00A0[x] Title', 'Title', false],
  ['- [\u00A0] Title', '- [x] Title', 'Title', false],
  ['- \\[ \\] Title', '- \\[x\\] Title', 'Title', false],
  ['- [х] Title', '- [ ] Title', 'Title', true],
];
test.each(BOXES)('the box of "%s" is found, and changing it gives "%s"', (line, changed, title, passes) => {
  for (const end of ['', '\n\n- [ ] criterion\n', '\r\n']) {
    const before = documentOf('markdown', `\ufeff${line}${line.startsWith('#') ? end : end.slice(0, 2)}`);
    expect(before.backlog.stories).toMatchObject([{ title, passes }]);
    const id = before.backlog.stories[0]?.id ?? '';
    const after = editBacklog(before, [{ kind: 'set', id, fields: { passes: !passes } }]);
    expect(after.text).toBe(before.text.replace(line, changed));
    const story = { id: 'ZZ-1', title: 'Another' };
    const added = editBacklog(after, [{ kind: 'add', story }]);
    expect(added.backlog.stories.map((one) => [one.title, one.passes])).toEqual([
      [title, !passes],
      ['Another', false],
    ]);
  }
});

test.each(
  ['- [x](http://a/b) link', '- [] => list', '- array[x] y', '### Use a[x] there', '- [^1] note', '- `[x]` code'].map(
    (line) => [line],
  ),
)('"%s" has no box', (line) => {
  expect(loadText('markdown', `- [ ] T1: a\n\n# Notes\n${line}\n`).document?.backlog.stories).toHaveLength(1);
});

test('beside boxes, words for states and capital letters are marks, too', () => {
  const plan =
    '- [ ] T1: a\n- [WIP] T2: b\n- [done] T3: c\n- [P] T4: d\n- [BLOCKED] T5: e\n- [100%] T6: f\n- [link] g\n- [1] h\n';
  const states = read(plan).map(({ id, passes, blocked }) => `${id} ${passes ? 'done' : blocked ? 'held' : 'open'}`);
  expect(states).toEqual(['T1 open', 'T2 open', 'T3 done', 'T4 open', 'T5 held', 'T6 done']);
  expect(() => read('- [P] T1: a\n- [D] T2: b\n')).toThrow();
});

test.each([
  ['**AC:**', 2],
  ['**Success Criteria**', 2],
  ['**Acceptance Criteria (all must pass):**', 2],
  ['**Abnahmekriterien:**', 2],
  ['**验收标准：**', 2],
  ['**Steps:**', 4],
])('below the label "%s" and another one stand %i criteria', (label, count) => {
  const body = `\n  ${label}\n  - it is a\n  - it is b\n\n  **Notes**\n  - a note\n  - one more\n`;
  expect(read(`- [ ] T1: a\n${body}`)[0]?.acceptanceCriteria).toHaveLength(count);
});

test('a table may have a column of dependencies', () => {
  const table =
    '| ID | Task | Status | Depends on |\n|---|---|---|---|\n| T1 | a | Done | - |\n| T2 | b | Todo | T1 |\n';
  expect(read(table).map(({ title, dependsOn }) => [title, ...dependsOn])).toEqual([['a'], ['b', 'T1']]);
});

test.each([
  ['T1: a (P0)', '', 0],
  ['[P2] T1: a', '', 2],
  ['T1: a', '- Priorität: hoch', 1],
  ['T1: a', '- Severity: critical', 0],
  ['T1: a', '- Priority - High', 1],
])('the priority of "%s" with "%s" is %i', (title, line, priority) => {
  expect(read(`- [ ] ${title}\n  ${line}\n`)[0]?.priority).toBe(priority);
});

test('a heading that names a section is no story, whatever its box', () => {
  expect(read('## Completed [x]\n- [x] T1: a\n## [ ] To do\n- [ ] T2: b\n').map(({ id }) => id)).toEqual(['T1', 'T2']);
});

test('what waits for another story by name depends on it', () => {
  const plan = '- [ ] T1: a\n- [ ] T2: b (blocked by T1)\n- [ ] T3: c (after T1, T2)\n- [ ] T4: d <!-- deps: T3 -->\n';
  const [, two, ...more] = read(`${plan}- [ ] T5: e — depends on T4\n`);
  expect([two, ...more].map((story) => story?.dependsOn)).toEqual([['T1'], ['T1', 'T2'], ['T3'], ['T4']]);
  expect(two).not.toHaveProperty('blocked');
});

test.each([
  ['- Blocked by: T1', ['T1']],
  ['- Requires: T1 and T2', ['T1', 'T2']],
  ['- **Depends:** T1', ['T1']],
  ['- Dependencies: T1, T2', ['T1', 'T2']],
  ['- Dependencies: T1\u2013T3', ['T1', 'T2', 'T3']],
  ['- Depends on: T1-T3', ['T1', 'T2', 'T3']],
  ['- Depends on: T1 to T3, Task 7', ['T1', 'T2', 'T3', 'Task 7']],
  ['- Depends on: Tasks 6-7', ['Task 6', 'Task 7']],
  ['- Depends on Task 6 and T2.', ['Task 6', 'T2']],
  ['- Prerequisites: Build the parser', ['T2']],
  ['- _Depends on: none_', []],
  ['- deps: T1 + T2', ['T1', 'T2']],
  ['- depends_on: [T1, T2]', ['T1', 'T2']],
  ['- Relies on: T1', ['T1']],
  ['- Depends on [T1](#t1)', ['T1']],
  ['- Abhängig von: T1', ['T1']],
  ['- 依赖：T1', ['T1']],
  ['- Depends on:\n    - T1\n    - T2: Build the parser', ['T1', 'T2']],
])('"%s" names what a story waits for', (line, expected) => {
  const stories = read(
    `- [ ] T1: a\n- [ ] T2: Build the parser\n- [ ] T3: c\n- [ ] Task 6: f\n- [ ] Task 7: g\n- [ ] T9: i\n  ${line}\n`,
  );
  expect(stories.at(-1)).toMatchObject({ dependsOn: expected, acceptanceCriteria: [] });
});

test.each(['Requires: a browser', 'After T1 has run, the page is shown', 'Needs: Node 20', '_Requirements: 1.1, 1.2_'])(
  '"%s" names nothing that a story waits for',
  (line) => {
    const story = read(`- [ ] T1: a\n- [ ] 1.1 b\n- [ ] T9: i\n  - ${line}\n`).at(-1);
    expect(story).toMatchObject({ dependsOn: [], acceptanceCriteria: [line] });
  },
);

test('a list item may be the label of those in it, or hold the criterion itself', () => {
  const [one, two] = read(
    '- [ ] T1: a\n  - Acceptance:\n    - x\n    - y\n  - Notes\n  - Files: `src/a.ts`, docs/\n- [ ] T2: b\n  - Acceptance: it works\n  - Files: all of them\n',
  );
  expect(one).toMatchObject({ acceptanceCriteria: ['x', 'y'], paths: ['src/a.ts', 'docs/'], description: '- Notes' });
  expect(two).toMatchObject({ acceptanceCriteria: ['it works'], description: '- Files: all of them' });
});

test('marks of spec-kit are labels', () => {
  expect(read('- [ ] T010 [P] [US1] Contract test\n')).toMatchObject([
    { id: 'T010', title: 'Contract test', labels: ['P', 'US1'] },
  ]);
});

test('commands of verification sections are checks, boxes in them are stories', () => {
  const { backlog } = documentOf(
    'markdown',
    [
      '- [ ] T1: a',
      '  - Verify: `npm test -- a.test.ts` passes',
      '  - `npm run dev` starts',
      '',
      '## Verification',
      '- `npm run lint`',
      '- open the page',
      '- [ ] T2: `make test` is green',
      '',
      '```sh',
      '$ cargo test',
      'curl localhost',
      '```',
    ].join('\n'),
  );
  expect(backlog.verifyCommands).toEqual(['npm run lint', 'cargo test']);
  expect(backlog.stories.map(({ id, verifyCommands }) => [id, verifyCommands])).toEqual([
    ['T1', ['npm test -- a.test.ts']],
    ['T2', undefined],
  ]);
});

describe('headings with ids whose boxes all are acceptance criteria', () => {
  const plan =
    '# PRD: Login\n\n## Goals\n\n- fast\n\n## User Stories\n\n### US-001: Log in\n**Description:** As a user.\n\n**Acceptance Criteria:**\n- [x] form\n- [ ] types\n\n### US-002: Log out\n\n#### Acceptance Criteria\n- [x] button\n\n## Non-Goals\n\n- SSO\n';

  test('are the stories, done when all their boxes are ticked', () => {
    const { document, problems } = loadText('markdown', plan);
    expect(problems).toEqual([]);
    expect(document?.backlog.stories).toMatchObject([
      { id: 'US-001', title: 'Log in', acceptanceCriteria: ['form', 'types'], passes: false },
      { id: 'US-002', title: 'Log out', acceptanceCriteria: ['button'], passes: true },
    ]);
    expect(loadText('markdown', `\uFEFF${plan}`).document?.backlog.stories).toHaveLength(2);
  });

  test('are marked by all their boxes', () => {
    const marked = (id: string, passes: boolean) => editMarkdown(plan, new Map([[id, { passes }]]), []).text;
    expect(marked('US-001', true)).toBe(plan.replace('- [ ] types', '- [x] types'));
    expect(marked('US-002', false)).toBe(plan.replace('- [x] button', '- [ ] button'));
    expect(editMarkdown(`\uFEFF${plan}`, new Map([['US-001', { passes: true }]]), []).text).toBe(
      `\uFEFF${plan.replace('- [ ] types', '- [x] types')}`,
    );
  });

  test('get another one of their kind', () => {
    const story = { id: 'US-003', title: 'Reset', acceptanceCriteria: ['mail'] };
    const { text } = editMarkdown(plan, new Map(), [story, { id: 'US-004', title: 'Lock' }]);
    expect(text).toContain('### US-003: Reset\n\n**Acceptance Criteria:**\n- [ ] mail\n\n### US-004: Lock\n');
    const stories = loadText('markdown', text).document?.backlog.stories ?? [];
    expect(stories.map(({ id }) => id).toSorted()).toEqual(['US-001', 'US-002', 'US-003', 'US-004']);
  });

  test.each([
    ['another box', `${plan}\n- [ ] one more\n`],
    ['a heading of the kind without boxes', `${plan}\n### US-003: Reset\n\nLater.\n`],
    ['headings without ids', plan.replace(/US-00\d: /g, '')],
  ])('are none with %s', (_name, other) => {
    expect(loadText('markdown', other).document?.backlog.stories[0]).toMatchObject({ title: 'form', passes: true });
  });
});

test('boxes that all are criteria of headings are stories, with one warning', () => {
  const plan =
    '# PRD\n\n### US-001: Login\n\nAs a user.\n\n**Acceptance Criteria:**\n- [ ] form\n- [ ] types\n\n### US-002: Logout\n\n#### Tasks\n- [ ] gone\n';
  const { document, problems } = loadText('markdown', plan);
  expect(document?.backlog.stories).toHaveLength(3);
  expect(problems).toEqual([
    {
      severity: 'warning',
      rule: 'schema/criteria-as-stories',
      file: 'ralph/plan.md',
      line: 3,
      message: 'the 3 boxes under "Acceptance Criteria" of US-001, US-002 are stories, one each',
      fix: 'If the headings are the stories, give them boxes, "### [ ] US-001: Title": what is below becomes their criteria.',
    },
  ]);
});

test.each([
  '## Phase 1: Setup\n**Tasks:**\n- [ ] T1: a\n',
  '## US-001: Login\n- [ ] T1: a\n\n**Acceptance Criteria:**\n- [ ] b\n',
  '## Tasks\n- [ ] T1: a\n\n## Acceptance Criteria\n- [ ] b\n',
  '## [ ] US-001: Login\n**Acceptance Criteria:**\n- [ ] b\n',
])('the plan %j is read without a warning', (plan) => {
  expect(loadText('markdown', plan).problems).toEqual([]);
});

test('a box in the middle of a heading is told about', () => {
  const { problems } = loadText(
    'markdown',
    '- [ ] T1: a\n### Setup [x] of all\n### Build [ ] of all\n### The `[x]` mark\n',
  );
  expect(problems).toMatchObject([
    { line: 2, message: '2 headings have boxes that ralph does not read as a story: Setup [x] of all' },
  ]);
});

test('beside headings with boxes, those with an id and a sign are stories, too', () => {
  const text = '# Plan\n\n### Task 1: Set up ✅\n\n- [x] 1.1\n\n### Task 2: Deploy [ ]\n\n### Notes ✅\n';
  const states = (plan: string) => read(plan).map(({ id, passes }) => [id, passes]);
  expect(states(text)).toEqual([
    ['Task 1', true],
    ['Task 2', false],
  ]);
  const open = editBacklog(documentOf('markdown', text), [{ kind: 'set', id: 'Task 1', fields: { passes: false } }]);
  expect(open.text).toBe(text.replace('Set up ✅', 'Set up ⬜'));
  expect(states(open.text)).toEqual([
    ['Task 1', false],
    ['Task 2', false],
  ]);
});
