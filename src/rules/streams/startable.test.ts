import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Story } from '../../contracts/index.ts';
import { blankStory } from '../backlog/api.ts';
import { startable } from './startable.ts';

const story = (id: string, repo: string, ...dependsOn: string[]): Story => ({
  ...blankStory(id, id, 1),
  repo,
  dependsOn,
});

const ids = (stories: readonly Story[], done: readonly string[] = [], there: readonly string[] = []) =>
  startable(stories, { isDone: ({ id }) => done.includes(id), isThere: ({ id }) => there.includes(id) }).map(
    ({ id }) => id,
  );

test('a story waits for another repository, and not for its own, where the order is kept', () => {
  const all = [story('A', 'api'), story('B', 'web', 'A'), story('C', 'web', 'B'), story('D', 'api', 'A')];
  expect(ids(all)).toEqual(['A', 'D']);
  expect(ids(all, [], ['A', 'D'])).toEqual([]);
  expect(ids(all, ['A'], ['A', 'D'])).toEqual(['B', 'C']);
  expect(ids(all, ['A', 'B'], ['A', 'D', 'B'])).toEqual(['C']);
});

test('a circle and an unknown story hold back only those that wait for them', () => {
  expect(ids([story('A', 'api', 'B'), story('B', 'api', 'A'), story('C', 'api', 'X'), story('D', 'api')])).toEqual([
    'D',
  ]);
});

test('whatever the order of work, every story starts once, after those of other repositories that it needs', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ repo: fc.constantFrom('a', 'b', 'c'), needs: fc.array(fc.nat(20), { maxLength: 3 }) }), {
        maxLength: 12,
      }),
      fc.infiniteStream(fc.nat(100)),
      (shapes, picks) => {
        const all = shapes.map(({ repo, needs }, at) =>
          story(`S${at}`, repo, ...(at === 0 ? [] : needs.map((need) => `S${need % at}`))),
        );
        const byId = new Map(all.map((one) => [one.id, one]));
        const [there, done]: [string[], string[]] = [[], []];
        while (done.length < all.length) {
          for (const id of ids(all, done, there)) {
            expect(there).not.toContain(id);
            const { repo, dependsOn } = byId.get(id) as Story;
            const others = dependsOn.filter((need) => byId.get(need)?.repo !== repo);
            expect(others.filter((need) => !done.includes(need))).toEqual([]);
            there.push(id);
          }
          const open = there.filter(
            (id) => !done.includes(id) && (byId.get(id) as Story).dependsOn.every((need) => done.includes(need)),
          );
          expect(open.length).toBeGreaterThan(0);
          done.push(open[picks.next().value % open.length] as string);
        }
        expect([...there].sort()).toEqual(all.map(({ id }) => id).sort());
      },
    ),
  );
});
