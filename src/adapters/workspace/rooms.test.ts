import { expect, test } from 'vitest';
import { exists, remove } from '../../platform/index.ts';
import { makeRoomPlace } from './rooms.ts';
import { tempTree } from './temp-tree.fixture.ts';

test('rooms of work trees and repositories that are gone go, those of others stay', async () => {
  const cache = await tempTree({ 'one/.git/': '', 'one/lane/': '', 'two/.git/': '' });
  const place = (root: string, repo: string) =>
    makeRoomPlace({ XDG_CACHE_HOME: cache }, { root: `${cache}/${root}`, commonDir: `${cache}/${repo}/.git` });
  const [own, lane, other] = [await place('one', 'one'), await place('one/lane', 'one'), await place('two', 'two')];
  expect(lane.layers).toBe(own.layers);
  expect(other.layers).not.toBe(own.layers);
  await Promise.all([remove(`${cache}/one/lane`), remove(`${cache}/two`)]);
  await place('one', 'one');
  const left = [own.folder, lane.folder, other.folder, other.layers].map(exists);
  expect(await Promise.all(left)).toEqual([true, false, false, false]);
});

test('the folder of a room has the name of its work tree, and nothing of the room is in it', async () => {
  const cache = await tempTree({ 'my project/.git/': '' });
  const root = `${cache}/my project`;
  const place = await makeRoomPlace({ XDG_CACHE_HOME: cache }, { root, commonDir: `${root}/.git` });
  expect(place.folder).toMatch(/\/my project$/);
  const { folder, ...rest } = place;
  expect(Object.values(rest).filter((path) => path.startsWith(`${folder}/`))).toEqual([]);
});
