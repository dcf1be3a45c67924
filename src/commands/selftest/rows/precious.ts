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
];
