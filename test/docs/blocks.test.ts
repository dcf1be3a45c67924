import { expect, test } from 'vitest';
import { partsOf } from './blocks.ts';

const block = { kind: 'block', stays: false, file: null, noRun: null };

test('blocks are read with their line and their info string, in the order of the page, between the projects', () => {
  const page = [
    'text',
    '```sh',
    'ralph run',
    '```',
    '<!-- project: blocked -->',
    '- in a list',
    '  ```json file=ralph.config.json',
    '  {',
    '    "agent": "codex" }',
    '  ```',
    '```sh stays',
    'ralph dashboard',
    '```',
    '```console no-run: needs a key',
    '```',
  ].join('\n');
  expect(partsOf(page)).toEqual([
    { ...block, line: 2, language: 'sh', text: 'ralph run\n' },
    { kind: 'project', line: 5, name: 'blocked' },
    { ...block, line: 7, language: 'json', file: 'ralph.config.json', text: '{\n  "agent": "codex" }\n' },
    { ...block, line: 11, language: 'sh', stays: true, text: 'ralph dashboard\n' },
    { ...block, line: 14, language: 'console', noRun: 'needs a key', text: '\n' },
  ]);
});

test('a longer fence holds shorter ones', () => {
  expect(partsOf('````markdown\n```sh\nx\n```\n````')).toEqual([
    { ...block, line: 1, language: 'markdown', text: '```sh\nx\n```\n' },
  ]);
});

test.each([
  ['```sh skip', "line 1: 'skip' says nothing here"],
  ['```sh no-run:', 'line 1: no-run needs a reason'],
])('%s is refused', (fence, message) => {
  expect(() => partsOf(`${fence}\nx\n\`\`\`\n`)).toThrow(message);
});

test('a fence that is not closed is refused', () => {
  expect(() => partsOf('a\n```sh\nx')).toThrow('line 2: the fence is not closed');
});
