import { expect, test } from 'vitest';
import { fileTrouble } from './file-trouble.ts';

const failed = (facts: object) => Object.assign(new Error('x'), facts);
const says = (facts: object) => fileTrouble(failed(facts))?.message ?? null;

test.each([
  [{ code: 'ENOSPC', syscall: 'write', path: '/project/a' }, 'cannot write /project/a: no space is left on the disk'],
  [{ code: 'ENOSPC', syscall: 'write' }, 'cannot write a file: no space is left on the disk'],
  [
    { code: 'EACCES', syscall: 'mkdir', path: '/project/.claude' },
    'cannot write /project/.claude: permission is denied',
  ],
  [
    { code: 'EACCES', syscall: 'open', path: '/project/.a.json.k3j4.ralph-tmp' },
    'cannot write /project/a.json: permission is denied',
  ],
  [{ code: 'EACCES', syscall: 'open', path: '/project/a' }, 'cannot open /project/a: permission is denied'],
  [{ code: 'EACCES', syscall: 'scandir', path: '/project' }, 'cannot read /project: permission is denied'],
  [
    { code: 'EEXIST', syscall: 'mkdir', path: '/project/.ralph' },
    'cannot write /project/.ralph: a file or link that leads nowhere is where a folder should be',
  ],
  [
    { code: 'ENOENT', syscall: 'mkdir', path: '/project/.git/ralph/a' },
    'cannot write /project/.git/ralph/a: a link on the way leads nowhere, or the disk is mounted read-only',
  ],
  [
    { code: 'EISDIR', syscall: 'rename', path: '/a', dest: '/b' },
    'cannot write /b: a folder is where a file should be',
  ],
  [
    { code: 'ENOTFILE', syscall: 'open', path: '/a' },
    'cannot open /a: a FIFO, a socket or a device is where a file should be',
  ],
])('%j is told as what it is', (facts, message) => expect(says(facts)).toBe(message));

test('what no person can fix stays what it is', () => {
  expect(says({ code: 'EACCES' })).toBeNull();
  expect(says({ code: 'EEXIST', syscall: 'open', path: '/a' })).toBeNull();
  expect(says({ code: 'ERR_INVALID_ARG_TYPE' })).toBeNull();
  expect(fileTrouble(new Error('a bug'))).toBeNull();
  expect(fileTrouble('text')).toBeNull();
});

test('there is always a way out', () => {
  expect(fileTrouble(failed({ code: 'EACCES', syscall: 'open', path: "/it's" }))?.facts.fix?.[0]).toBe(
    "see who may write: ls -ld / '/it'\\''s'",
  );
});
