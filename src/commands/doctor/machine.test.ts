import { expect, test } from 'vitest';
import { noIsolation } from '../../adapters/isolation/choose.ts';
import type { Chosen } from '../../adapters/isolation/index.ts';
import { plain } from '../../surfaces/terminal/index.ts';
import { isolationFinding } from './machine.ts';
import { renderExamination } from './render.ts';

const chosen = (fields: Partial<Chosen>): Chosen => ({
  isolation: { ...noIsolation(), name: 'bwrap' },
  probe: { available: true, detail: 'bubblewrap 0.11.0', fix: [], claims: [] },
  instead: [],
  loud: null,
  quiet: null,
  fix: [],
  ...fields,
});

const lines = (fields: Partial<Chosen>) =>
  renderExamination(
    { findings: [isolationFinding(chosen(fields))], agents: [], withheld: [] },
    { paint: plain, columns: 80, verbose: false },
  );

test('what a run would take is named, with how much of it was tried and why nothing better', () => {
  const claims = [{ claim: 'a file outside the work tree cannot be written', held: true, detail: '' }];
  const probe = { available: true, detail: 'bubblewrap 0.11.0', fix: [], claims };
  expect(lines({ probe, instead: ['sbx: no sandbox was made for this project'] })).toEqual([
    '✓ isolation bwrap  bubblewrap 0.11.0',
    '                   1 claim tested and confirmed; ralph sandbox status lists them',
    '                   not sbx: no sandbox was made for this project',
    '',
    'a run can start',
  ]);
});

const none = { isolation: noIsolation(), probe: { available: true, detail: 'no isolation', fix: [], claims: [] } };

test('without isolation there is a warning, with the reasons and the ways out', () => {
  const loud = 'NO ISOLATION: agents and checks run with your own permissions';
  expect(
    lines({ ...none, loud, instead: ['bwrap: it is not installed'], fix: ['sudo apt-get install bubblewrap'] }),
  ).toEqual([
    '! isolation none  no isolation',
    '                  not bwrap: it is not installed',
    '                  fix: sudo apt-get install bubblewrap',
    '',
    'a run can start',
  ]);
});

test('where a person switched it off, the way out is to leave that out', () => {
  expect(lines({ ...none, quiet: 'no isolation (isolation.backend: none): as you said' })).toEqual([
    '! isolation none  no isolation (isolation.backend: none): as you said',
    '                  fix: ralph config set isolation.backend auto',
    '',
    'a run can start',
  ]);
});
