import { expect, test } from 'vitest';
import { code, plain } from './words.ts';

test.each([
  ['a | b', 'a &#124; b'],
  ['<b>x</b> & y', '&lt;b&gt;x&lt;/b&gt; &amp; y'],
  ['@una see #12', '@&#8203;una see \\#&#8203;12'],
  ['GH-1, gh-22, high-1', 'GH-&#8203;1, gh-&#8203;22, high-1'],
  ['https://x.example www.x.example', 'https&#58;//x.example www\\.x.example'],
  ['![a](b) *c* _d_ `e`', '!\\[a\\](b) \\*c\\* \\_d\\_ \\`e\\`'],
  ['- not a list', '\\- not a list'],
  ['1. nor this', '1\\. nor this'],
  ['two\nlines', 'two lines'],
])('%j in Markdown is only text', (text, written) => {
  expect(plain(text)).toBe(written);
});

test.each([
  ['npm test', '`npm test`'],
  ['a`b', '``a`b``'],
  ['`a`', '`` `a` ``'],
  ['a | b', '`a ¦ b`'],
  ['', ''],
])('%j as code cannot leave its backticks or its cell', (text, written) => {
  expect(code(text)).toBe(written);
});
