import { expect, test } from 'vitest';
import { block, code, plain, quiet, quoted, table } from './words.ts';

test.each([
  ['**bold** _x_ `code`', '\\*\\*bold\\*\\* \\_x\\_ \\`code\\`'],
  ['[click](javascript:x)', '\\[click\\](javascript:x)'],
  ['<img src=x onerror=y>', '\\<img src=x onerror=y\\>'],
  ['a | b', 'a \\| b'],
  ['two\nlines', 'two lines'],
  ['\u001b[31mred\u001b[0m\u202e', 'red'],
  ['US-001 stays as it is', 'US-001 stays as it is'],
])('%j is plain text in Markdown', (text, markdown) => {
  expect(plain(text)).toBe(markdown);
});

test.each(['@una', 'fixes #12', 'o/r#3', 'GH-4', 'https://example.org', 'www.example.org', 'una@example.org'])(
  '%j calls nobody, closes nothing and links nowhere',
  (text) => {
    expect(quiet(text)).not.toMatch(/@\w|#\d|GH-\d|:\/\/|www\./i);
    expect(quiet(text).replaceAll('\u200b', '')).toBe(text);
  },
);

test('a quotation keeps its lines and opens nothing', () => {
  expect(quoted('# Title\n\n- item\n1. one\n--- \nplain')).toEqual([
    '> \\# Title',
    '>',
    '> \\- item',
    '> 1\\. one',
    '> \\---',
    '> plain',
  ]);
  expect(quoted('a\nb\nc', 2)).toEqual(['> a', '> b', '> … and 1 more lines']);
});

test('code holds backticks and pipes', () => {
  expect(code('npm test')).toBe('`npm test`');
  expect(code('a`b | c')).toBe('``a`b \\| c``');
  expect(code('`x`')).toBe('`` `x` ``');
});

test('a block cannot be closed from inside', () => {
  expect(block('a\n```\nb')).toEqual(['````text', 'a', '```', 'b', '````']);
});

test('a table has a head, a rule and rows', () => {
  expect(table(['a', 'b'], [['1', '2']])).toEqual(['| a | b |', '| --- | --- |', '| 1 | 2 |']);
});
