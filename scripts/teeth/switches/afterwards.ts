import type { Switch } from '../switch.ts';

/** What the host does with the tree when the agent has ended. */
export const OF_AFTERWARDS: readonly Switch[] = [
  {
    name: 'branches that come back',
    edits: [
      {
        file: 'src/loop/keep/moved-refs.ts',
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
        file: 'src/loop/keep/protected-names.ts',
        from: '  const changed: PutBack[] = [];\n',
        to: '  const changed: PutBack[] = [];\n  if (root) return changed;\n',
      },
    ],
    selftest: ['plants-hidden-configuration', 'plants-client-settings'],
  },
];
