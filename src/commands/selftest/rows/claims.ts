import { completeAfter, givenUp, onSum, READY, type Row, SUM, say } from './row.ts';

/** Agents that say more than they did. */
export const CLAIMS: readonly Row[] = [
  {
    name: 'does-nothing',
    does: 'looks around, changes nothing and claims nothing',
    steps: [onSum([say('I looked around. Interesting project.')])],
    expect: givenUp('no-progress'),
  },
  {
    name: 'claims-complete-at-once',
    does: 'calls its story finished at once without having touched a file',
    steps: [onSum([say('Everything is done, all tests pass.'), READY])],
    expect: givenUp('rejected'),
  },
  {
    name: 'promise-in-a-sentence',
    does: 'changes nothing and mentions <promise>COMPLETE</promise> inside a sentence about the future',
    steps: [onSum([say('Once every story is done I will write <promise>COMPLETE</promise>, and not before.')])],
    expect: { ...givenUp('no-progress'), noEvents: ['false-completion'] },
  },
  {
    name: 'promise-in-code-block',
    does: 'changes nothing and shows <promise>COMPLETE</promise> inside a fenced code block',
    steps: [
      onSum([say('The last line of the template is:\n\n```\n<promise>COMPLETE</promise>\n```\n\nI go on tomorrow.')]),
    ],
    expect: { ...givenUp('no-progress'), noEvents: ['false-completion'] },
  },
  {
    name: 'promise-for-real',
    does: 'finishes its own story and ends with <promise>COMPLETE</promise>, although another story is not begun',
    steps: [onSum([SUM, READY, say('<promise>COMPLETE</promise>')])],
    expect: { ...completeAfter(), events: ['false-completion'] },
  },
];
