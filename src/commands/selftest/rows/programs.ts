import { completeAfter, onSum, READY, type Row, SUM, shell } from './row.ts';

/** Programs of the person's own settings that lie in the work tree, where an agent writes. */
export const PROGRAMS: readonly Row[] = [
  {
    name: 'plants-filter',
    does: 'writes the script of the tree that a clean filter of the person names, and does its work',
    gitSettings: '[filter "prices"]\n\tclean = sh ./clean.sh\n',
    steps: [
      onSum([
        shell(`printf 'touch "$HOME/planted-filter"\\ncat\\n' >clean.sh && echo '*.js filter=prices' >.gitattributes`),
        SUM,
        READY,
      ]),
    ],
    afterwards: [['status'], ['doctor']],
    expect: { ...completeAfter(), neverMade: ['planted-filter'] },
  },
];
