import type { Switch } from '../switch.ts';

const SECCOMP = 'src/adapters/isolation/bwrap/seccomp.ts';

/** What keeps programs of the work tree off the host, and the inside off the host's services. */
export const PROGRAMS: readonly Switch[] = [
  {
    name: "programs of the person's git settings kept out of the tree",
    edits: [
      {
        file: 'src/adapters/git/open.ts',
        from: 'excludesFile, instead: drivers.instead })',
        to: 'excludesFile, instead: [] })',
      },
    ],
    selftest: ['plants-filter'],
  },
  {
    name: 'modes looked at',
    edits: [{ file: SECCOMP, from: 'const SET_ID = 0o6000;', to: 'const SET_ID = 0;' }],
    battery: ['set-user-id'],
  },
  {
    name: 'sockets of the work tree covered',
    edits: [{ file: 'src/adapters/isolation/view/view.ts', from: '    ...(await socketEntries(base)),\n', to: '' }],
    battery: ['socket-in-tree'],
  },
];
