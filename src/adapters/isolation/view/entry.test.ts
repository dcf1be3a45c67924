import { expect, test } from 'vitest';
import { isSeen, isThere, type ViewEntry } from './entry.ts';

const VIEW: readonly ViewEntry[] = [
  { kind: 'empty', at: '/tmp' },
  { kind: 'read', from: '/usr', at: '/usr' },
  { kind: 'link', at: '/bin', target: '/usr/bin' },
  { kind: 'read', from: '/etc', at: '/etc' },
  { kind: 'mask', at: '/etc/shadow', of: 'file' },
  { kind: 'write', from: '/state/home', at: '/home/una' },
  { kind: 'read', from: '/home/una/.nvm', at: '/home/una/.nvm' },
  { kind: 'write', from: '/projects/app', at: '/projects/app' },
];

test.each([
  ['/usr/bin/node', true],
  ['/bin/sh', true],
  ['/etc/hosts', true],
  ['/etc/shadow', false],
  ['/home/una/.ssh/id', false],
  ['/home/una/.nvm/versions', true],
  ['/projects/app/src', true],
  ['/projects/other', false],
  ['/tmp/x', false],
])('what the host has at %s: seen is %s', (path, seen) => {
  expect(isSeen(VIEW, path)).toBe(seen);
});

test('what a later entry covers is decided by it alone', () => {
  const covered: readonly ViewEntry[] = [...VIEW, { kind: 'empty', at: '/usr/local' }];
  expect(isSeen(covered, '/usr/local/bin/x')).toBe(false);
  expect(isSeen(covered, '/usr/bin/x')).toBe(true);
});

test('a folder in memory is there, but nothing of the host is in it', () => {
  expect(isThere(VIEW, '/tmp')).toBe(true);
  expect(isThere(VIEW, '/tmp/agent.sock')).toBe(false);
  expect(isThere(VIEW, '/home/una/bin')).toBe(true);
  expect(isThere(VIEW, '/etc/shadow')).toBe(false);
});
