import { expect, test } from 'vitest';
import { layersOf } from './layers.ts';

const story = (id: string, ...dependsOn: readonly string[]) => ({ id, dependsOn });
const ids = (layers: readonly (readonly { readonly id: string }[])[]) =>
  layers.map((layer) => layer.map(({ id }) => id));

test('a story stands behind everything that it waits for', () => {
  const { layers, edges } = layersOf([story('d', 'b', 'c'), story('a'), story('b', 'a'), story('c', 'b')]);
  expect(ids(layers)).toEqual([['a'], ['b'], ['c'], ['d']]);
  expect(edges).toHaveLength(4);
});

test('stories that have nothing to do with others, or wait for what is not there, stand apart', () => {
  const { layers, alone } = layersOf([story('a'), story('b', 'a'), story('c'), story('d', 'gone')]);
  expect(ids(layers)).toEqual([['a'], ['b']]);
  expect(alone.map(({ id }) => id)).toEqual(['c', 'd']);
});

test('a circle is drawn, and ends', () => {
  const { layers } = layersOf([story('a', 'b'), story('b', 'a'), story('c', 'c')]);
  expect(ids(layers).flat().sort()).toEqual(['a', 'b']);
});

test('a chain of 200 stories has 200 layers', () => {
  const chain = Array.from({ length: 200 }, (_, i) => story(String(i), ...(i === 0 ? [] : [String(i - 1)])));
  expect(layersOf(chain.toReversed()).layers).toHaveLength(200);
});
