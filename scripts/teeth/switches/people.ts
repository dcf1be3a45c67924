import type { Switch } from '../switch.ts';

/** Who may speak to a run. */
export const PEOPLE: readonly Switch[] = [
  {
    name: 'the signature of what a person says',
    edits: [
      {
        file: 'src/adapters/workspace/records/steering-file.ts',
        from: 'return key?.isSigned(entry, mac) ? entry : UNSIGNED;',
        to: 'return mac === 0 || entry.version ? entry : UNSIGNED;',
      },
    ],
    selftest: ['forges-steering', 'raises-limits', 'signs-for-a-person'],
  },
];
