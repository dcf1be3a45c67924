import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneByOne } from '../view/view.ts';
import { parseMountPoints } from './run-arguments.ts';

test('mount points are read from the kernel, blanks and all, the root left out', () => {
  const table = [
    '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '23 22 0:21 / /proc rw,nosuid - proc proc rw',
    '40 22 254:1 /data /usr/my\\040files rw shared:1 - ext4 /dev/vdb rw',
    '41 22 254:1 /data /usr/my\\040files rw shared:1 - ext4 /dev/vdb rw',
    '',
  ].join('\n');
  expect(parseMountPoints(table)).toEqual(['/proc', '/usr/my files']);
});

test('what is in a folder is shown one by one; links stay links, and what engines mount is left to them', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-etc-')));
  const at = (name: string) => join(folder, name);
  mkdirSync(at('ssl'));
  writeFileSync(at('passwd'), '');
  symlinkSync('passwd', at('link'));
  symlinkSync('nowhere', at('dangling'));
  symlinkSync('passwd', at('resolv.conf'));
  const entries = await oneByOne([{ kind: 'read', from: folder, at: folder }], folder, ['resolv.conf']);
  rmSync(folder, { recursive: true });
  expect(entries).toEqual([
    { kind: 'link', at: at('link'), target: at('passwd') },
    { kind: 'read', from: at('passwd'), at: at('passwd') },
    { kind: 'read', from: at('ssl'), at: at('ssl') },
  ]);
});
