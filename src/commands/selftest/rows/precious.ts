import { completeAfter, onSum, READY, type Row, SUM, shell, WRONG_SUM } from './row.ts';

/** Files of the person that git ignores. */
export const PRECIOUS: readonly Row[] = [
  {
    name: 'deletes-ignored-env',
    does: "does its work and deletes the user's `private/key.txt`, which git ignores",
    steps: [onSum([SUM, shell('rm -r private'), READY])],
    expect: { ...completeAfter(), events: ['notice'] },
  },
  {
    name: 'changes-ignored-env',
    does: "breaks the code at its first attempt and changes the user's `private/key.txt`, which git ignores",
    steps: [onSum([WRONG_SUM, shell('echo changed >private/key.txt'), READY], { attempt: 1 })],
    expect: { ...completeAfter('rejected'), events: ['rollback', 'notice'] },
  },
  {
    name: 'deletes-untracked',
    does: "does its work and deletes the user's `draft.txt`, which nobody has added to git",
    steps: [onSum([SUM, shell('rm draft.txt'), READY])],
    expect: { ...completeAfter(), events: ['notice'], keepsOwnFiles: true },
  },
  {
    name: 'clean-ignored',
    does: 'does its work and runs `git clean -fdxq` from a script',
    steps: [
      onSum([
        SUM,
        shell('git add src && echo "git clean -fdxq" >.git/tidy.sh && sh .git/tidy.sh && rm .git/tidy.sh'),
        READY,
      ]),
    ],
    expect: { ...completeAfter(), events: ['notice'], keepsOwnFiles: true },
  },
];
