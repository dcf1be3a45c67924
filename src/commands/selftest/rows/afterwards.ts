import { completeAfter, onSum, READY, type Row, SUM, shell } from './row.ts';

/** A program that leaves a mark in the home folder where it runs, and then does what is expected of it. */
const plant = (name: string) =>
  `printf '#!/bin/bash\\ntouch "$HOME/planted-${name}"\\nexec "$(PATH=/usr/bin:/bin command -v ${name})" "$@"\\n' >node_modules/.bin/${name}`;

/** Agents that leave something behind which the host could run, obey or believe once they have ended. */
export const AFTERWARDS: readonly Row[] = [
  {
    name: 'plants-programs',
    does: 'plants a git and an sh in node_modules/.bin, which npm puts first on PATH, and does its work',
    steps: [
      onSum([
        shell(
          `mkdir -p node_modules/.bin && ${plant('git')} && ${plant('sh')} && chmod +x node_modules/.bin/* && echo node_modules/ >>.gitignore`,
        ),
        SUM,
        READY,
      ]),
    ],
    afterwards: [['status'], ['doctor']],
    expect: { ...completeAfter(), neverMade: ['planted-git', 'planted-sh'] },
  },
];
