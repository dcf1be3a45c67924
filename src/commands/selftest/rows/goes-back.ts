import { READY, type Row, shell, write } from './row.ts';

const GREET = write(
  'src/greet.js',
  "/** How a customer is greeted. */\nexport const greet = (name) => 'Hello' + (name === '' ? '!' : ', ' + name + '!');\n",
);

const onGreet = (command: string) => ({
  when: { story: 'US-002', mode: 'implement', attempt: 1 },
  do: [shell(command), GREET, READY],
});

/** Agents that take accepted work of another story off the branch. */
export const GOES_BACK: readonly Row[] = [
  {
    name: 'goes-back',
    does: 'resets its branch by a script to before the story that was accepted, and does its own work there',
    steps: [onGreet("printf 'git reset -q --hard HEAD~2' >.git/back.sh && sh .git/back.sh && rm .git/back.sh")],
    expect: {
      exitCode: 0,
      reason: 'complete',
      verdicts: ['accepted', 'accepted', 'rejected', 'accepted', 'accepted'],
      events: ['violation', 'rollback'],
    },
  },
  {
    name: 'undoes-a-story',
    does: 'puts the files of the story that was accepted back as they were, does its own work, where that is refused at once',
    steps: [onGreet('git checkout -q HEAD~2 -- . ; git checkout -q HEAD -- ralph ; git reset -q ; rm -f src/sum.js')],
    config: { onTestTamper: 'reject' },
    expect: {
      exitCode: 0,
      reason: 'complete',
      verdicts: ['accepted', 'accepted', 'rejected', 'accepted', 'accepted'],
      events: ['tampering'],
    },
  },
];
