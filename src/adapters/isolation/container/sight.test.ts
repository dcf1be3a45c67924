import { expect, test } from 'vitest';
import { parseMountPoints } from './sight.ts';

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
