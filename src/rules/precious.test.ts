import { expect, test } from 'vitest';
import { careFor } from './precious.ts';

const NONE = { also: [], not: [] };

test.each([
  ['.env', 'file', 'always'],
  ['apps/web/.env.local', 'file', 'always'],
  ['config/secrets.local.yml', 'file', 'usual'],
  ['private', 'folder', 'open'],
  ['node_modules', 'folder', 'no'],
  ['apps/web/dist', 'folder', 'no'],
  ['node_modules/x/.env', 'file', 'no'],
  ['debug.log', 'file', 'no'],
  ['build', 'file', 'usual'],
] as const)('%s, a %s: %s', (path, kind, care) => {
  expect(careFor(path, kind, NONE)).toBe(care);
});

test('the setting names paths from the root, names anywhere, and patterns within a name', () => {
  const setting = { also: ['vendor/mine/', '*.sqlite', 'coverage'], not: ['/.env', 'config/*.yml'] };
  expect(careFor('vendor', 'folder', setting)).toBe('open');
  expect(careFor('vendor/other', 'folder', setting)).toBe('no');
  expect(careFor('vendor/mine', 'folder', setting)).toBe('open');
  expect(careFor('vendor/mine/a/b.txt', 'file', setting)).toBe('always');
  expect(careFor('data/dev.sqlite', 'file', setting)).toBe('always');
  expect(careFor('data/dev.sqlite3', 'file', setting)).toBe('usual');
  expect(careFor('a/coverage/b', 'file', setting)).toBe('always');
  expect(careFor('.env', 'file', setting)).toBe('no');
  expect(careFor('a/.env', 'file', setting)).toBe('always');
  expect(careFor('config/a.yml', 'file', setting)).toBe('no');
  expect(careFor('config/a/b.yml', 'file', setting)).toBe('usual');
});
