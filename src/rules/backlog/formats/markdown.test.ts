import { expect, test } from 'vitest';
import { documentOf } from '../document.fixture.ts';
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
  expect(
    read('> - [ ] T1: quoted\n\n<details>\n\n- [x] T2: b\n\n</details>\n').map(({ id, passes }) => [id, passes]),
  ).toEqual([
    ['T1', false],
    ['T2', true],
  ]);
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
  ['T012 [P] Title in src/a.ts', 'T012', '[P] Title in src/a.ts'],
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
])('the line %j has the id %j and the title %j', (line, ownId, title) => {
  expect(parseTitleLine(line)).toMatchObject({ ownId, title });
});

test('ids that no visible form carries are pinned in a comment', () => {
  expect(formatTitleLine('US-9', 'T')).toBe('US-9: T');
  expect(parseTitleLine(formatTitleLine('clean up', 'T')).title).toBe('T');
  expect(parseTitleLine(formatTitleLine('cleanup', 'T\nx'))).toMatchObject({ ownId: 'cleanup', title: 'T x' });
});
