import { describe, it } from 'vitest';
import { analyse, announcesEverything } from './analyse.ts';
import { BLOCK_BEGIN } from './markdown.ts';

const fill = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length));

/** Texts made to be slow to read: openings without ends, and beginnings of patterns without the rest. */
const PIECES: readonly string[] = [
  '`',
  '` ',
  '`a``b```',
  '```\n',
  '```a\n',
  '`````js\n```\n',
  '~',
  '~~a',
  '"',
  '"a ',
  ' "a" "',
  "'a ",
  '“',
  '“‘„«',
  '“a’',
  '«»‹›',
  '<promise>',
  '<promise>COMPLETE',
  '<promise>COMPLETE</promise>',
  '<promise>COMPLETE</promise>\n',
  'a. <promise>COMPLETE</promise> ',
  '<promise>   ',
  '<!--',
  '<!-- -->',
  '<code>',
  '<pre></pre>',
  '> ',
  '>\n',
  '- ',
  '- [ ] ',
  ' ',
  '\n',
  '\t',
  '    a\n',
  '#',
  '# a\n',
  '*',
  '_*',
  '.*.*',
  '. ',
  'A. ',
  '!',
  '🎉',
  '✅ ',
  'a',
  'a ',
  'all ',
  'all tasks ',
  'all of the tasks are ',
  'every story that ',
  'everything ',
  'everything is ',
  'the project ',
  'the whole ',
  'nothing is ',
  'no tasks ',
  'no more ',
  '1 of ',
  '1/1 ',
  '11111',
  'not ',
  "n't",
  'not all ',
  'if ',
  'once all tasks are done ',
  'all tasks are done ',
  'all tasks are done, ',
  'tests ',
  'ran the ',
  'i am ',
  'unable to ',
  'needs your ',
  'still ',
  'remaining ',
  'i will ',
  'http://',
  'https://a ',
  'a://b',
  `${BLOCK_BEGIN}\n`,
  '\uE000',
  '\uFFFC ',
];

/** Many times the first, then the second: what fits nowhere is found out only at the end. */
const WITH_END: readonly (readonly [string, string])[] = [
  ['no ', ', 3 tasks remain.'],
  ['not ', ', all tasks are done.'],
  ['if ', '; the project is complete'],
  ['all tasks ', 'are done?'],
  ['✔', '<promise>COMPLETE</promise> x'],
  ['. ✔', '<promise>COMPLETE</promise> x'],
  ['*', '<promise>COMPLETE</promise>`'],
  ['```', ' `'],
  ['"a', '"'],
  ['(', '<promise>COMPLETE</promise>'],
];

function analyseAll(text: string): void {
  analyse(text, { promise: 'COMPLETE', changedFiles: [], ranTests: false });
  announcesEverything(text, 'COMPLETE', 'implement');
}

describe('the analysis of a hostile text', () => {
  // Far less than a second each; in quadratic time the test would hang.
  it.each(PIECES)('takes no long time for many %j', (piece) => {
    analyseAll(fill(piece, 60_000));
  });

  it.each(WITH_END)('takes no long time for many %j before %j', (piece, end) => {
    analyseAll(fill(piece, 60_000) + end);
  });

  it.each(['`', '"', '<promise>', '“'])('takes no long time for a megabyte of %j', (piece) => {
    analyseAll(fill(piece, 1_000_000));
  });
});
