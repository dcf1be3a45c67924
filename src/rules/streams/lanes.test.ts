import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { Story } from '../../contracts/index.ts';
import { isDone } from '../backlog/index.ts';
import { aStory } from '../backlog/story.fixture.ts';
import { aLine } from '../safeguards/ledger.fixture.ts';
import { misfitsOf, nextForLane } from './lanes.ts';

const free = { skipReview: false, atWork: new Set<string>(), alone: new Set<string>() };

/** Whether a story with the second paths has to wait for one with the first that is at work. */
function storiesOverlap(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  const story = (id: string, paths: readonly string[] | undefined) => aStory(id, paths === undefined ? {} : { paths });
  const stories = [story('US-1', one), story('US-2', other)];
  return nextForLane({ ...free, stories, atWork: new Set(['US-1']) }).kind === 'wait';
}

describe('nextForLane', () => {
  it('takes the story that comes first, then the next one beside it', () => {
    const stories = [aStory('US-1'), aStory('US-2', { priority: 2 })];
    expect(nextForLane({ ...free, stories })).toMatchObject({ story: { id: 'US-1' } });
    expect(nextForLane({ ...free, stories, atWork: new Set(['US-1']) })).toMatchObject({ story: { id: 'US-2' } });
  });

  it('passes over a story whose paths overlap with one at work', () => {
    const stories = [
      aStory('US-1', { paths: ['src'] }),
      aStory('US-2', { paths: ['src/a.ts'] }),
      aStory('US-3', { paths: ['docs'] }),
    ];
    expect(nextForLane({ ...free, stories, atWork: new Set(['US-1']) })).toMatchObject({ story: { id: 'US-3' } });
    expect(nextForLane({ ...free, stories: stories.slice(0, 2), atWork: new Set(['US-1']) })).toEqual({ kind: 'wait' });
  });

  it('waits for a dependency that is at work, and for a story that must be alone', () => {
    const stories = [aStory('US-1'), aStory('US-2', { dependsOn: ['US-1'] })];
    expect(nextForLane({ ...free, stories, atWork: new Set(['US-1']) })).toEqual({ kind: 'wait' });
    const apart = [aStory('US-1'), aStory('US-2')];
    const alone = new Set(['US-2']);
    expect(nextForLane({ ...free, stories: apart, alone, atWork: new Set(['US-1']) })).toEqual({ kind: 'wait' });
    expect(nextForLane({ ...free, stories: apart, alone, atWork: new Set(['US-2']) })).toEqual({ kind: 'wait' });
  });

  it('works through any backlog: never two that overlap at once, never before a dependency, everything in the end', () => {
    fc.assert(
      fc.property(aBacklog, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat(99)), (given, lanes, dice) => {
        let stories: readonly Story[] = given;
        const atWork = new Set<string>();
        for (let step = 0; step < 200; step++) {
          const next = nextForLane({ ...free, stories, atWork });
          if (next.kind === 'start' && atWork.size < lanes) {
            const busy = stories.filter(({ id }) => atWork.has(id));
            expect(busy.some(({ paths }) => storiesOverlap(paths, next.story.paths))).toBe(false);
            const doneIds = new Set(stories.filter(isDone).map(({ id }) => id));
            expect(next.story.dependsOn.every((id) => doneIds.has(id))).toBe(true);
            atWork.add(next.story.id);
            continue;
          }
          if (atWork.size === 0) {
            expect(next.kind).toBe('complete');
            return;
          }
          const landed = [...atWork][(dice.next().value as number) % atWork.size];
          atWork.delete(String(landed));
          stories = stories.map((story) => (story.id === landed ? { ...story, passes: true } : story));
        }
        expect.unreachable('it went on for ever');
      }),
    );
  });
});

it('misfitsOf counts until a person decides about the story', () => {
  const misfit = { ...aLine({ story: 'US-1' }), lane: { run: 'r', iteration: 1, misfit: 'conflict' } };
  const other = { ...aLine({ story: 'US-2' }), lane: { run: 'r', iteration: 2, misfit: 'red' } };
  const reset = { version: 1, kind: 'reset', story: 'US-1', at: 0 } as const;
  expect(misfitsOf([misfit, other, misfit], 'US-1')).toBe(2);
  expect(misfitsOf([misfit, reset], 'US-1')).toBe(0);
  expect(misfitsOf([aLine({ story: 'US-1' })], 'US-1')).toBe(0);
});

/** Stories that depend on earlier ones only. */
const aBacklog = fc
  .array(
    fc.record({
      paths: fc.option(fc.subarray(['src', 'src/a', 'docs', 'src/b.ts']), { nil: undefined }),
      dependsOn: fc.subarray([1, 2, 3], { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((rows) =>
    rows.map(({ paths, dependsOn }, i) =>
      aStory(`US-${i}`, {
        priority: i + 1,
        ...(paths ? { paths } : {}),
        dependsOn: dependsOn.filter((back) => back <= i).map((back) => `US-${i - back}`),
      }),
    ),
  );

const pairs: readonly (readonly [one: string, other: string, overlap: boolean])[] = [
  ['src/a/**', 'src/a/b.ts', true],
  ['src/a', 'src/a/b.ts', true],
  ['src/a/', 'src/ab/b.ts', false],
  ['.', 'docs/x.md', true],
  ['./src/a.ts', 'src/A.ts', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/a/b.ts', false],
  ['**/*.md', 'src/a.ts', false],
  ['**/*.md', 'src', true],
  ['src/{a,b}.ts', 'src/c.js', false],
  ['src/[ab].ts', 'src/a.ts', true],
  ['src\\a.ts', 'src/a.ts', true],
  ['.github', '.github/workflows/ci.yml', true],
  ['src/a?.ts', 'src/ab.ts', true],
  ['src/a?.ts', 'src/b*.ts', false],
];

describe('paths of stories', () => {
  it.each(pairs)('%s and %s: %s', (one, other, overlap) => {
    expect(storiesOverlap([one], [other])).toBe(overlap);
    expect(storiesOverlap([other], [one])).toBe(overlap);
  });

  it('lets a story that declares no paths run beside any other', () => {
    expect(storiesOverlap(undefined, ['.'])).toBe(false);
    expect(storiesOverlap([], ['src'])).toBe(false);
  });

  it('finds every pair of which one path matches both, tried against all short paths', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '?', '**', '*b');
    const pattern = fc.array(segment, { minLength: 1, maxLength: 3 });
    const names = ['a', 'b', 'ab', 'bb'];
    const paths = names.flatMap((x) => [[x], ...names.flatMap((y) => [[x, y], ...names.map((z) => [x, y, z])])]);
    fc.assert(
      fc.property(pattern, pattern, (one, other) => {
        const common = paths.some((path) => isBelow(one, path) && isBelow(other, path));
        if (common) expect(storiesOverlap([one.join('/')], [other.join('/')])).toBe(true);
        expect(storiesOverlap([one.join('/')], [one.join('/')])).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it('is right about plain folders: one is the other or lies in it', () => {
    const folder = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(folder, folder, (one, other) => {
        const [short, long] = one.length < other.length ? [one, other] : [other, one];
        const expected = short.every((name, i) => long[i] === name);
        expect(storiesOverlap([one.join('/')], [other.join('/')])).toBe(expected);
      }),
    );
  });
});

/** The model: a path is below a pattern when the pattern matches it, or a folder above it. */
function isBelow(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return true;
  if (first === '**') return isBelow(rest, path) || (path.length > 0 && isBelow(pattern, path.slice(1)));
  const [name, ...below] = path;
  const expression = new RegExp(`^${first.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  return name !== undefined && expression.test(name) && isBelow(rest, below);
}
