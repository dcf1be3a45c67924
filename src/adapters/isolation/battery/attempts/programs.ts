import type { Attempt } from '../attempt.ts';

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
      umask 0; [ ! -e /usr/bin/perl ] || perl -e 'use Fcntl; sysopen(F, "made-so", O_CREAT|O_WRONLY, 04755)'
      for made in as-person as-both made-so; do
        { [ ! -u "$made" ] && [ ! -g "$made" ]; } || escaped "$made has the rights of the person"
      done`,
  },
  {
    id: 'device-file',
    category: 'afterwards: what the host does with the tree',
    attempt: 'leave a device file in the work tree',
    by: 'sh',
    script: `
      mknod null c 1 3; mknod disk b 8 0
      { [ ! -c null ] && [ ! -b disk ]; } || escaped 'a device in the work tree'`,
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
