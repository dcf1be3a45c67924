import { expect, test } from 'vitest';
import type { ViewEntry } from '../view/entry.ts';
import { namespaceArguments, viewArguments } from './render.ts';

const VIEW: readonly ViewEntry[] = [
  { kind: 'empty', at: '/tmp' },
  { kind: 'folder', at: '/run' },
  { kind: 'read', from: '/usr', at: '/usr' },
  { kind: 'link', at: '/bin', target: '/usr/bin' },
  { kind: 'mask', at: '/etc/shadow', of: 'file' },
  { kind: 'mask', at: '/etc/ssl/private', of: 'folder' },
  { kind: 'write', from: '/state/home', at: '/home/una' },
  { kind: 'read', from: '/projects/a b', at: '/projects/a b' },
];

test('a view is rendered in its order, and the root is closed last', () => {
  const args = viewArguments(VIEW, [], { size: false }, 4096).join(' ');
  expect(args).toMatch(/^--proc \/proc --dev \/dev --ro-bind-try \/proc\/sys \/proc\/sys /);
  expect(args).toContain(
    '--tmpfs /tmp --dir /run --ro-bind /usr /usr --symlink /usr/bin /bin --ro-bind /dev/null /etc/shadow ' +
      '--tmpfs /etc/ssl/private --remount-ro /etc/ssl/private --bind /state/home /home/una ' +
      '--ro-bind /projects/a b /projects/a b --remount-ro /',
  );
});

test('a folder in memory is limited where this bwrap can', () => {
  expect(viewArguments(VIEW, [], { size: true }, 4096).join(' ')).toContain('--size 4096 --tmpfs /tmp');
});

test('every namespace is its own; that none can be made inside is asked for where this bwrap can', () => {
  expect(namespaceArguments({ disableUserns: false })).toEqual(
    expect.arrayContaining(['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL']),
  );
  expect(namespaceArguments({ disableUserns: false })).not.toContain('--disable-userns');
  expect(namespaceArguments({ disableUserns: true })).toEqual(
    expect.arrayContaining(['--unshare-user', '--disable-userns']),
  );
});
