import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { crashPointsInSource, PASSAGES } from '../support/torture/crash-points.ts';

const E2E = fileURLToPath(new URL('../e2e', import.meta.url));

/** Nothing tries these yet: a worker dies before its turn; a merge dies between checks and move. */
const UNTRIED = ['fleet-turn-begun', 'merge-checked'];

test('every crash point in the sources but two is tried, here or by an end-to-end test of its own', async () => {
  const files = (await readdir(E2E, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map((file) => readFile(`${E2E}/${file}`, 'utf8')));
  const all = texts.filter((text) => text.includes('RALPH_CRASHPOINT')).join('\n');
  // parallel.test.ts puts the names of lanes together: `lane-${place}`.
  const isTried = (name: string): boolean =>
    new RegExp(`['"\`](${name}|${name.replace(/^lane-/, '')})['"\`#]`).test(all);
  const forgotten = (await crashPointsInSource()).filter((name) => !(name in PASSAGES) && !isTried(name));
  expect(forgotten).toEqual(UNTRIED);
});

test('the crash points that a run passes are all in the sources', async () => {
  const known = await crashPointsInSource();
  expect(Object.keys(PASSAGES).filter((name) => !known.includes(name))).toEqual([]);
});
