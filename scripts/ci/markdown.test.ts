import { expect, test } from 'vitest';
import { anchorsOf, brokenLinks } from './markdown.ts';

const read = async (target: string) => {
  if (['there.md', 'pic ture.png', '../src/x.ts'].includes(target)) return '# A part, `with` code\n';
  return target === 'folder' ? '' : null;
};

test('links to files that are not there are named; web addresses and code are not looked at', async () => {
  const text = [
    '[a](there.md) [b](gone.md#part "title") ![c](pic%20ture.png) [d](folder) [e](https://example.org/x#y)',
    '`[f](inline.md)`',
    '```js',
    'list[0](fenced.md)',
    '```',
  ].join('\n');
  expect(await brokenLinks(text, read)).toEqual(['gone.md#part']);
});

test('a link to a part of a page needs its heading there; parts of other files are not looked for', async () => {
  const text =
    '# Here\n[a](#here) [b](#gone) [c](there.md#a-part-with-code) [d](there.md#gone) [e](../src/x.ts#L10)\n```\n# gone\n```\n';
  expect(await brokenLinks(text, read)).toEqual(['#gone', 'there.md#gone']);
});

test('anchors are those of GitHub', () => {
  const page = '# Docker Sandboxes (`sbx`)\n## A [link](x.md)\n## Über_uns – heute\n## Twice\n## Twice ##\n';
  expect(anchorsOf(page)).toEqual(['docker-sandboxes-sbx', 'a-link', 'über_uns--heute', 'twice', 'twice-1']);
});
