import type { Switch } from '../switch.ts';

/** Where checks run. */
export const CLEAN_ROOM: readonly Switch[] = [
  {
    name: 'the clean room',
    edits: [
      {
        file: 'src/loop/evidence/checks.ts',
        from: '  if (room === null) return checkInTree(context, iteration, what);',
        to: '  if (room === null || what.commands.length > 0) return checkInTree(context, iteration, what);',
      },
    ],
    selftest: ['replaces-the-runner'],
  },
];
