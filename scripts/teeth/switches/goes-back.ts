import type { Switch } from '../switch.ts';

/** Accepted work that is not there any more. */
export const OF_GOING_BACK: readonly Switch[] = [
  {
    name: 'work that was lost with the history',
    edits: [
      {
        file: 'src/loop/evidence/gather.ts',
        from: 'const lost = await historyLost(context, ended, left);',
        to: 'const lost: Awaited<ReturnType<typeof historyLost>> = [];',
      },
    ],
    selftest: ['goes-back'],
  },
  {
    name: 'stories that are undone by files alone',
    edits: [
      {
        file: 'src/loop/evidence/gather.ts',
        from: '[...(await tamperingIn(context, ended, left.work)), ...(await storiesUndone(context, ended, left))]',
        to: '[...(await tamperingIn(context, ended, left.work))]',
      },
    ],
    selftest: ['undoes-a-story'],
  },
];
