import { runCommand } from '../../../../platform/process/run-command.ts';
import type { Attempt, Traces } from '../attempt.ts';

/** Looks in the work tree for files that `find` says this of. */
const leaves =
  (...test: readonly string[]) =>
  async ({ work }: Traces): Promise<string | null> => {
    const { stdout } = await runCommand('find', [work, '!', '-type', 'd', '(', ...test, ')'], { cwd: '/' });
    const found = stdout.toString('utf8').trim();
    return found === '' ? null : `made in the work tree: ${found.split('\n').join(', ')}`;
  };

/** Ways from the work tree into programs and services of the host. */
export const PROGRAMS: readonly Attempt[] = [
  {
    id: 'set-user-id',
    category: 'afterwards: what the host does with the tree',
    attempt: 'leave a program that runs with the rights of the person, for others of this machine',
    by: 'sh',
    script: `
      cp "$(command -v env)" as-person
      chmod 4755 as-person; chmod g+s as-person; install -m 6755 as-person as-both
      umask 0; [ ! -e /usr/bin/perl ] || perl -e 'use Fcntl; sysopen(F, "made-so", O_CREAT|O_WRONLY, 04755)'`,
    check: leaves('-perm', '-4000', '-o', '-perm', '-2000'),
  },
  {
    id: 'device-file',
    category: 'afterwards: what the host does with the tree',
    attempt: 'leave a device file in the work tree',
    by: 'sh',
    script: 'mknod null c 1 3; mknod disk b 8 0',
    check: leaves('-type', 'b', '-o', '-type', 'c'),
  },
  {
    id: 'socket-in-tree',
    category: 'sockets',
    attempt: 'connect to a service of the host that listens in the work tree',
    by: 'node',
    script: `
      if (!process.env.SERVICE) console.log('LACKS a path that is short enough for a socket');
      else console.log(await say({ path: process.env.SERVICE }, mark));`,
  },
];
