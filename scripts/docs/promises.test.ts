import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../root.ts';
import { promiseFiles } from '../suites/run-suite.ts';

const TAGGED = /\(\s*(?:'([^'\n]+)'|"([^"\n]+)"),\s*\{\s*tags: \['promise'\],?\s*\}/g;

test('docs/promises.md names every journey of npm test, and no other', async () => {
  const page = await readFile(join(root, 'docs/promises.md'), 'utf8');
  const rows = page.split('\n').flatMap((line) => (line.startsWith('| ') ? [line.split(' | ')[1] ?? ''] : []));
  const listed = rows.flatMap((cell) => cell.split('; ')).map((one) => one.replace(/^.*?`[\w-]+`: /, ''));
  const files = await promiseFiles();
  const tagged: string[] = [];
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8');
    const titles = [...text.matchAll(TAGGED)].map(([, single, double]) => single ?? double ?? '');
    expect(titles, file).not.toEqual([]);
    expect(page).toContain(`\`${basename(file, '.test.ts')}\`: `);
    tagged.push(...titles);
  }
  const sentences = listed.filter((one) => !/^(its journey|---)/.test(one)).join('; ');
  for (const title of tagged) expect(sentences).toContain(title);
  expect(sentences.length).toBe(tagged.join('; ').length);
});
