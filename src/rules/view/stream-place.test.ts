import { expect, test } from 'vitest';
import { byPath, familyOf, goOnCommand, streamPlace } from './stream-place.ts';

test.each([
  ['/projects/app', null],
  ['/projects/app/.ralph/worktrees', null],
  ['/projects/app/.ralph/worktrees/PRD-2', { main: '/projects/app', stream: 'PRD-2', lane: null }],
  ['/projects/app/.ralph/worktrees/PRD-2-lane-3', { main: '/projects/app', stream: 'PRD-2', lane: 3 }],
  ['/projects/app/.ralph/worktrees/shop-lane-x', { main: '/projects/app', stream: 'shop-lane-x', lane: null }],
])('%s', (root, place) => {
  expect(streamPlace(root)).toEqual(place);
});

test.each([
  ['/projects/app/.ralph/worktrees/PRD-12', 'ralph stream start 12'],
  ['/projects/app/.ralph/worktrees/shop', 'ralph stream start shop'],
  ['/projects/app/.ralph/worktrees/PRD-1-lane-2', 'ralph run --parallel'],
  ['/projects/app', 'ralph stream start'],
])('in %s it goes on with %s', (root, command) => {
  expect(goOnCommand(root)).toBe(command);
});

test('a lane stands with the stream whose stories it works on, or with the main work tree', () => {
  const trees = '/projects/app/.ralph/worktrees';
  const roots = new Set(['/projects/app', `${trees}/PRD-1`, `${trees}/PRD-1-lane-1`, `${trees}/PRD-2-lane-1`]);
  const families = [...roots].map((root) => familyOf(root, roots));
  expect(families).toEqual(['/projects/app', `${trees}/PRD-1`, `${trees}/PRD-1`, '/projects/app']);
});

test('work trees are ordered by the numbers in their names', () => {
  expect(['PRD-10', 'PRD-9', 'PRD-9-lane-1'].sort(byPath)).toEqual(['PRD-9', 'PRD-9-lane-1', 'PRD-10']);
});
