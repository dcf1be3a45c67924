import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadText } from './document.fixture.ts';

/**
 * Backlogs in the shapes that tools and people write, made up and small, one a line: the name, how many stories, how
 * many of them done, how many entries are left out because the tool means them to be gone, and the content.
 */
const WILD = readFileSync(new URL('wild.fixture.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as [name: string, stories: number, done: number, leftOut: number, content: unknown]);

test('backlogs of many shapes are counted right', () => {
  const wrong = WILD.filter(([, stories, done, , content]) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    const { document } = loadText(typeof content === 'string' ? 'markdown' : 'prd-json', text);
    const found = document?.backlog.stories ?? [];
    return found.length !== stories || found.filter(({ passes }) => passes).length !== done;
  });
  expect(WILD.length - wrong.length).toBe(41);
});
