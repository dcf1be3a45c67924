import { appendFile, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tempTree } from '../../adapters/workspace/temp-tree.fixture.ts';
import { openBook } from './book.ts';

const judged = { tree: 'a'.repeat(40), command: 'npm test', setUp: 's', isolation: 'bwrap' };
const result = (ok: boolean) => ({
  command: judged.command,
  ok,
  exitCode: ok ? 0 : 1,
  timedOut: false,
  durationMs: 10,
  tail: '',
});

test.each(Object.keys(judged))('a result with another %s is not the one that is asked for', async (part) => {
  const book = await openBook(`${await tempTree()}/book`, 'run');
  await book.add(judged, result(true));
  expect(await book.known(judged)).toEqual(result(true));
  expect(await book.known({ ...judged, [part]: 'other' })).toBeNull();
});

test('red counts in its own run alone, green in others, too', async () => {
  const path = `${await tempTree()}/book`;
  const [one, other] = [await openBook(path, 'one'), await openBook(path, 'other')];
  await one.add(judged, result(false));
  expect([(await one.known(judged))?.ok, await other.known(judged)]).toEqual([false, null]);
  await one.add(judged, result(true));
  expect([(await one.known(judged))?.ok, (await other.known(judged))?.ok]).toEqual([true, true]);
});

test('lines that cannot be read are no results', async () => {
  const path = `${await tempTree()}/book`;
  await appendFile(path, `{"tree":\nnull\n${JSON.stringify({ ...judged, run: 'run', result: { ok: 'yes' } })}\n`);
  const book = await openBook(path, 'run');
  expect([await book.known(judged), await book.wasGreen(judged.command)]).toEqual([null, false]);
});

test('a long book is cut when it is opened, and keeps its last results', async () => {
  const path = `${await tempTree()}/book`;
  const lines = Array.from({ length: 401 }, (_, at) => ({
    ...judged,
    tree: `${at}`,
    run: 'run',
    result: result(true),
  }));
  await appendFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const book = await openBook(path, 'run');
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(200 + 1);
  expect(await book.known({ ...judged, tree: '400' })).not.toBeNull();
  expect(await book.known({ ...judged, tree: '200' })).toBeNull();
});
