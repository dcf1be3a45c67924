import { expect, test, vi } from 'vitest';
import { followAddress, route, runHref } from './route.ts';

/** The route of a page that is opened at this address. */
function parseRoute(hash: string) {
  vi.stubGlobal('location', { hash });
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('scrollTo', () => undefined);
  followAddress();
  vi.unstubAllGlobals();
  return route.value;
}

const at = { page: 'run', project: 'p1', run: '20260101-100000-abcd', section: 'timeline', iteration: null };

test.each([
  ['', { page: 'overview' }],
  ['#/', { page: 'overview' }],
  ['#/run/p1/20260101-100000-abcd', at],
  ['#/run/p1/20260101-100000-abcd/', at],
  ['#/run/p1/20260101-100000-abcd/iteration/7', { ...at, iteration: 7 }],
  ['#/run/p1/20260101-100000-abcd/transcript?line=12', { ...at, section: 'transcript' }],
  ['#/run/p1/20260101-100000-abcd/iteration/x', { page: 'unknown' }],
  ['#/run/p1/20260101-100000-abcd/__proto__', { page: 'unknown' }],
  ['#/run/p1', { page: 'unknown' }],
  ['#/elsewhere', { page: 'unknown' }],
])('%s', (hash, expected) => {
  expect(parseRoute(hash)).toEqual(expected);
});

test('what an address is made from is read back from it', () => {
  expect(parseRoute(runHref('p/1', '100 %', 'stories'))).toMatchObject({
    project: 'p/1',
    run: '100 %',
    section: 'stories',
  });
  expect(parseRoute(runHref('p', 'r', 12))).toMatchObject({ section: 'timeline', iteration: 12 });
});

test('an address that cannot be decoded is taken as it is', () => {
  expect(parseRoute('#/run/p1/%E0%A4%A')).toMatchObject({ run: '%E0%A4%A' });
});
