import { RalphError } from '../../contracts/index.ts';
import { shellWord } from '../../rules/text/index.ts';

interface SystemError extends Error {
  readonly code: string;
  readonly syscall?: string;
  readonly path?: string;
  readonly dest?: string;
}

interface Trouble {
  readonly says: string;
  readonly fix: (path: string) => readonly string[];
  /** Clear enough without a path: it concerns the whole disk or process. */
  readonly everywhere?: true;
}

const rights = (path: string): readonly string[] => [
  path === ''
    ? 'give yourself write permission there'
    : `see who may write: ls -ld ${shellWord(path.slice(0, path.lastIndexOf('/')) || '/')} ${shellWord(path)}`,
  '`ralph doctor` says which folders have to be writable',
];
const inTheWay = (path: string): readonly string[] => [
  path === '' ? 'move the file in the way' : `see what is in the way, and move it: ls -ld ${shellWord(path)}`,
];

/** System errors that a person can fix, by code (errno(3)). */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  ENOSPC: {
    says: 'no space is left on the disk',
    fix: () => ['make room on it: `df -h` and `df -i` show how full it is', '`ralph rescue prune --older-than 30d`'],
    everywhere: true,
  },
  EDQUOT: {
    says: 'your quota on this disk is used up',
    fix: () => ['make room: `quota -s` shows it'],
    everywhere: true,
  },
  EROFS: { says: 'the disk is mounted read-only', fix: () => ['mount it for writing'], everywhere: true },
  EMFILE: { says: 'too many files are open', fix: () => ['raise the limit: `ulimit -n 4096`'], everywhere: true },
  ENFILE: { says: 'too many files are open on this machine', fix: () => ['end other programs'], everywhere: true },
  EIO: { says: 'the disk reports an error', fix: () => ['look at it: `dmesg | tail`'], everywhere: true },
  EACCES: { says: 'permission is denied', fix: rights },
  EPERM: { says: 'the system does not allow it', fix: rights },
  ENOTDIR: { says: 'a part of the path is a file, not a folder', fix: inTheWay },
  EISDIR: { says: 'a folder is where a file should be', fix: inTheWay },
  ENOTFILE: { says: 'a FIFO, a socket or a device is where a file should be', fix: inTheWay },
  ELOOP: { says: 'the links form a loop', fix: inTheWay },
  ENAMETOOLONG: { says: 'the name is too long', fix: () => ['use a shorter path'] },
};

const MAKING_FOLDER: Readonly<Record<string, Trouble>> = {
  EEXIST: { says: 'a file or link that leads nowhere is where a folder should be', fix: inTheWay },
  // Node says the same where more than one folder is missing on a disk that is mounted read-only.
  ENOENT: { says: 'a link on the way leads nowhere, or the disk is mounted read-only', fix: inTheWay },
};

const READS = /^(open|access|scandir|opendir|read|readlink|stat|lstat|fstat|realpath|statfs)$/;

/** The same error in a form a person can act on; null for every other kind. Pure. */
export function fileTrouble(error: unknown): RalphError | null {
  if (!isSystemError(error)) return null;
  const { code, syscall = '', path = '', dest } = error;
  const trouble = (syscall === 'mkdir' ? MAKING_FOLDER[code] : undefined) ?? TROUBLES[code];
  if (trouble === undefined || (path === '' && trouble.everywhere === undefined)) return null;
  // A file is written under a temporary name beside its place first.
  const place = (dest ?? path).replace(/\/\.([^/]+)\.[a-z0-9]+\.ralph-tmp$/, '/$1');
  const looks = READS.test(syscall) && place === (dest ?? path);
  const doing = !looks ? 'write' : syscall === 'open' ? 'open' : 'read';
  return new RalphError({
    what: `cannot ${doing} ${place === '' ? 'a file' : place}: ${trouble.says}`,
    fix: trouble.fix(place),
  });
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && !(error instanceof RalphError) && 'code' in error && typeof error.code === 'string';
}
