import { expect, test } from 'vitest';
import { plain } from '../../surfaces/terminal/paint.ts';
import { backendLines, batteryLines, choiceLines } from './render.ts';

test('a backend shows each claim, and one that does not hold with what was seen', () => {
  const claims = [
    { claim: 'the work tree can be written', held: true, detail: '' },
    { claim: 'a host off the list cannot be reached', held: false, detail: 'it\nanswered' },
  ];
  const report = { name: 'bwrap', available: false, detail: 'bubblewrap 0.8.0', mend: [], claims } as const;
  expect(backendLines(report, 80, plain)).toEqual([
    '✗ bwrap     bubblewrap 0.8.0',
    '  held      the work tree can be written',
    '  NOT HELD  a host off the list cannot be reached: it answered',
  ]);
});

test('a backend that is not there says how to get it', () => {
  const mend = ['sudo apt-get install podman uidmap'];
  const report = { name: 'container', available: false, detail: 'podman is not installed', mend, claims: [] } as const;
  expect(backendLines(report, 80, plain)).toEqual([
    '- container podman is not installed',
    '  get it    sudo apt-get install podman uidmap',
  ]);
});

test('what a run takes, or why it is refused', () => {
  expect(choiceLines({ chosen: 'bwrap', instead: ['sbx: not installed'] }, 80, plain)).toEqual([
    '',
    'a run here takes bwrap',
    '            sbx: not installed',
  ]);
  expect(choiceLines({ chosen: null, instead: ['nothing here can isolate'] }, 80, plain)[1]).toBe(
    'a run here is refused',
  );
});

test('ways out stand under their kind; one that was not held with what got out', () => {
  const row = {
    backend: 'bwrap',
    id: 'a',
    category: 'files',
    attempt: 'write outside',
    held: true,
    detail: 'no',
  } as const;
  const rows = [row, { ...row, attempt: 'remove outside', held: false, detail: 'a file is\ngone' }];
  expect(batteryLines('bwrap', rows, { ms: 5000, columns: 80 }, plain)).toEqual([
    'bwrap: 2 ways out tried in 5.0s: 1 held, 1 not held',
    'files',
    '  held      write outside',
    '  NOT HELD  remove outside',
    '            a file is gone',
  ]);
});
