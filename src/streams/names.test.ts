import { expect, test } from 'vitest';
import { refuseOddBranch } from './names.ts';

test.each(['ralph/prd-1', 'main', 'a.b/c_d', 'straße', 'feature#1', 'HEADS'])('%s can be a branch', (name) => {
  expect(() => refuseOddBranch(name, '.ralph/PRD-1')).not.toThrow();
});

test.each([
  '',
  '-x',
  '--force',
  'HEAD',
  '@',
  'refs/heads/q',
  'a b',
  'a..b',
  'a~1',
  'x.lock',
  '/a',
  'a/',
  'a//b',
  '.a',
  'a/.b',
  'a@{1}',
  'a\nb',
  'a.',
])('%j is refused in words, before git is asked', (name) => {
  expect(() => refuseOddBranch(name, '.ralph/PRD-1')).toThrow(/cannot be the branch of a stream/);
});
