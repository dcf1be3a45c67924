import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ViewEntry } from '../view/entry.ts';
import { complaintWays, findBwrap, namespaceArguments, unfiltered, viewArguments } from './find.ts';
import { seccompFilter } from './seccomp.ts';

let base = '';
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'ralph-find-'));
});
afterEach(() => rm(base, { recursive: true }));

/** A stand-in that knows its options, and refuses to make a sandbox when it is called with one of `refused`. */
async function standIn(folder: string, refused: string): Promise<string> {
  const file = join(base, folder, 'bwrap');
  await mkdir(join(base, folder));
  const script = `#!/bin/sh
case $1 in --version) echo 'bubblewrap 9.9.9'; exit ;; --help) echo '    --size BYTES'; echo '    --disable-userns'; exit ;; esac
case " $* " in *' ${refused} '*) echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1 ;; esac
`;
  await writeFile(file, script);
  await chmod(file, 0o755);
  return join(base, folder);
}

test('it is taken with all it knows', async () => {
  const folder = await standIn('bin', 'none');
  expect(await findBwrap(folder, '/project', [])).toEqual({
    file: join(folder, 'bwrap'),
    version: '9.9.9',
    size: true,
    disableUserns: true,
    filter: seccompFilter(process.arch),
  });
});

test('where the kernel takes no filter of system calls, it does without', async () => {
  expect(await findBwrap(await standIn('bin', '--seccomp'), '/project', [])).toMatchObject({
    disableUserns: true,
    filter: null,
  });
});

test('where namespaces cannot be forbidden inside, it does without', async () => {
  expect(await findBwrap(await standIn('bin', '--disable-userns'), '/project', [])).toMatchObject({
    disableUserns: false,
  });
});

test('one that makes no sandbox is quoted', async () => {
  const complaint = 'bwrap: setting up uid map: Permission denied';
  expect(await findBwrap(await standIn('bin', '--unshare-all'), '/project', [])).toEqual({ complaint });
});

test('one that lies in the project is not taken: an agent may have put it there', async () => {
  expect(await findBwrap(`relative:${await standIn('bin', 'none')}`, base, [])).toBe(null);
});

test('a kernel that keeps ordinary users from namespaces is named, with the command that changes it', async () => {
  const ways = (apparmor: string | null, clone: string | null, most: string | null) =>
    complaintWays({}, async (name) => (name.startsWith('user/') ? most : name.includes('apparmor') ? apparmor : clone));
  expect(await ways('1\n', null, '15000\n')).toEqual([
    expect.stringContaining('apparmor_restrict_unprivileged_userns=0'),
  ]);
  expect(await ways(null, '0\n', '0\n')).toEqual([
    expect.stringContaining('unprivileged_userns_clone=1'),
    expect.stringContaining('max_user_namespaces='),
  ]);
  for (const none of [await ways(null, null, null), await ways('0', '1', '60000')])
    expect(none.join()).not.toContain('sysctl');
});

test('an installed bwrap that does not hold is never to be installed; there is always a way on', async () => {
  const ways = await complaintWays({});
  expect(ways).not.toEqual([]);
  expect(ways.join()).not.toContain('install bubblewrap');
});

test('that system calls are not filtered is said, with the reason', () => {
  expect(unfiltered({ filter: new Uint8Array() }, 'x64')).toEqual([]);
  expect(unfiltered({ filter: null }, 'x64')).toEqual([expect.stringContaining('none can be set')]);
  expect(unfiltered({ filter: null }, 'riscv64')).toEqual([expect.stringContaining('no filter is known for riscv64')]);
});

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
