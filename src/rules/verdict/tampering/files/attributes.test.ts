import { expect, test } from 'vitest';
import { findTampering } from '../find-tampering.ts';

const found = (after: string, before: string | null = '*.md text\n') =>
  findTampering([{ path: '.gitattributes', before, after }]).map(({ line, kind }) => `${line} ${kind}`);

test.each(['*.js -diff', 'src/** binary', 'src/pay.ts  linguist-generated=true', 'a.js text diff=lfs', '/x -text'])(
  'files that differences no longer show are told to the reviewer: %s',
  (line) => {
    expect(found(`*.md text\n${line}\n`)).toEqual(['2 hidden-from-diff']);
    expect(found(`${line}\n`, null)).toEqual(['1 hidden-from-diff']);
  },
);

test.each(['*.png binary', '*.woff2 -diff', '# *.js -diff', '*.js text eol=lf', '*.js diff', '[attr]mine -diff'])(
  'what hides nothing that could be read is not: %s',
  (line) => {
    expect(found(`*.md text\n${line}\n`)).toEqual([]);
  },
);

test('what was hidden before is no finding, and neither is showing it again', () => {
  expect(found('*.js -diff\n*.md text\n', '*.js -diff\n')).toEqual([]);
  expect(found('*.md text\n', '*.js -diff\n')).toEqual([]);
});
