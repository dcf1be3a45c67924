import type { Switch } from '../switch.ts';

/** What the host does with the tree when the agent has ended. */
export const OF_AFTERWARDS: readonly Switch[] = [
  {
    name: 'moving aside what no checkpoint can hold',
    edits: [
      {
        file: 'src/loop/inside/guest.ts',
        from: '  if (excess.length === 0) return [];',
        to: '  if (excess.length < 99) return [];',
      },
    ],
    selftest: ['leaves-a-huge-file', 'leaves-deep-folders'],
  },
  {
    name: 'branches that come back',
    edits: [
      {
        file: 'src/loop/protect/user-work.ts',
        from: 'isolation.coversGitDir ? [] :',
        to: "isolation.name !== 'sbx' ? [] :",
      },
    ],
    selftest: ['deletes-branches'],
  },
  {
    name: 'protected names that are held whether git sees them or not',
    edits: [
      {
        file: 'src/loop/protect/protected-names.ts',
        from: '  const changed: PutBack[] = [];\n',
        to: '  const changed: PutBack[] = [];\n  if (root) return changed;\n',
      },
    ],
    selftest: ['plants-hidden-configuration', 'plants-client-settings'],
  },
];
