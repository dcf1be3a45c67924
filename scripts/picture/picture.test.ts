import { expect, test } from 'vitest';
import { parseLine, textOf } from './ansi.ts';
import { CUT, chooseLines } from './choose.ts';
import { renderSvg } from './svg.ts';

const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;
const green = (text: string) => `\u001b[32m${text}\u001b[39m`;

test('a line of terminal output becomes spans of one style each', () => {
  expect(parseLine(`${dim('[1/15]')} \u001b[1mimplement\u001b[22m ${green('done')}`)).toEqual([
    { text: '[1/15]', ink: 'plain', bold: false, dim: true },
    { text: ' ', ink: 'plain', bold: false, dim: false },
    { text: 'implement', ink: 'plain', bold: true, dim: false },
    { text: ' ', ink: 'plain', bold: false, dim: false },
    { text: 'done', ink: 'green', bold: false, dim: false },
  ]);
  expect(textOf(green('done'))).toBe('done');
});

test('a style that the picture cannot show is refused', () => {
  expect(() => parseLine('\u001b[35mviolet')).toThrow('no picture of the terminal style 35');
});

test('what is left out of a run is marked, once per gap', () => {
  const output = [
    'an introduction',
    '[1/15] implement · US-001 A',
    '  agent     1s',
    '  verdict   accepted',
    '  story     US-001: open → needs review',
    '',
    '[2/15] review · US-001 A',
    '  verdict   accepted',
    '',
    '[3/15] implement · US-002 B',
    '  check     ✗ npm test',
    '    │ output of the check',
    '  verdict   rejected',
    '',
    '[4/15] implement · US-002 B',
    '  verdict   accepted',
    '',
    'COMPLETE: every story is done',
    '',
    'Stories: 2 of 2 done',
    '',
    'Commits on main: 4',
    '  abc',
  ];
  expect(chooseLines(output.join('\n'))).toEqual([
    '[1/15] implement · US-001 A',
    '  agent     1s',
    '  verdict   accepted',
    CUT,
    '[3/15] implement · US-002 B',
    '  check     ✗ npm test',
    CUT,
    '  verdict   rejected',
    '',
    '[4/15] implement · US-002 B',
    '  verdict   accepted',
    '',
    'COMPLETE: every story is done',
    '',
    'Stories: 2 of 2 done',
  ]);
});

test('the picture escapes text, stands every span on its column and cuts long lines', () => {
  const svg = renderSvg([`  ${green('a < b')} and much more`], { title: 'a & b', columns: 12 });
  expect(svg).toContain('<title>a &amp; b</title>');
  expect(svg).toContain('<tspan x="40.9" textLength="42.1" fill="#6cd58a">a &lt; b</tspan>');
  expect(svg).toContain('>and…</tspan>');
});
