import { expect, test } from 'vitest';
import { brokenLinks, unknownCommands } from './markdown.ts';

const known = ['run', 'log', 'stories', 'stories list', 'stories show'];

test('links to files that are not there are named; web addresses, anchors and code are not looked at', async () => {
  const text = [
    '[a](there.md) [b](gone.md#part "title") ![c](pic%20ture.png) [d](#part) [e](https://example.org/x)',
    '`[f](inline.md)`',
    '```js',
    'list[0](fenced.md)',
    '```',
  ].join('\n');
  const exists = async (target: string) => ['there.md', 'pic ture.png'].includes(target);
  expect(await brokenLinks(text, exists)).toEqual(['gone.md']);
});

test('calls of ralph that name no command are found in inline code and in code blocks', () => {
  const text = 'Try `ralph rum 3`.\n\n```sh\n$ ralph run 3\nralph stories shwo US-001\n```\n';
  expect(unknownCommands(text, known)).toEqual(['ralph stories shwo', 'ralph rum']);
});

test('known commands, their arguments and flags, bare groups and prose are fine', () => {
  const text = 'ralph loops well.\n`ralph`, `ralph log last`, `ralph run --json`, `ralph stories`, `ralph/prd.md`';
  expect(unknownCommands(text, known)).toEqual([]);
});
