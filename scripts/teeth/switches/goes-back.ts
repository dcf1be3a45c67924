import type { Switch } from '../switch.ts';

/** Accepted work that is not there any more. */
export const OF_GOING_BACK: readonly Switch[] = [
  {
    name: 'work that was lost with the history',
    edits: [
      {
        file: 'src/loop/settle.ts',
        from: "const lost = header.mode === 'review' ? [] : await historyLost(context, ended, left);",
        to: 'const lost: Awaited<ReturnType<typeof historyLost>> = [];',
      },
    ],
    selftest: ['goes-back'],
  },
  {
    name: 'stories that are undone by files alone',
    edits: [
      {
        file: 'src/loop/settle.ts',
        from: '[...(await tamperingIn(context, ended, work)), ...(await storiesUndone(context, ended, left))]',
        to: '[...(await tamperingIn(context, ended, work))]',
      },
    ],
    selftest: ['undoes-a-story'],
  },
];
