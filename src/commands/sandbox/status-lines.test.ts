import { expect, test } from 'vitest';
import type { BatteryRow, Limit } from '../../adapters/isolation/index.ts';
import { plain } from '../../surfaces/terminal/index.ts';
import { backendLines, batteryEnd, batteryLines, choiceLines, policyLines } from './status-lines.ts';

test('a backend shows each claim, and one that does not hold with what was seen', () => {
  const claims = [
    { claim: 'the work tree can be written', held: true, detail: '' },
    { claim: 'a host off the list cannot be reached', held: false, detail: 'it\nanswered' },
  ];
  const report = { name: 'bwrap', available: false, detail: 'bubblewrap 0.8.0', fix: [], claims } as const;
  expect(backendLines(report, 80, plain)).toEqual([
    '✗ bwrap     bubblewrap 0.8.0',
    '  held      the work tree can be written',
    '  NOT HELD  a host off the list cannot be reached: it answered',
  ]);
});

test('what did not hold is to be fixed, not to be got', () => {
  const claims = [{ claim: 'a secret cannot be read', held: false, detail: 'it was' }];
  const report = { name: 'bwrap', available: false, detail: 'bubblewrap 0.8.0', fix: ['do this'], claims } as const;
  expect(backendLines(report, 80, plain).at(-1)).toBe('  fix it    do this');
});

test('a limit that cannot be held here is not named as one', () => {
  const limits = { memoryBytes: 4 * 1024 ** 3, processes: 512, cpus: null };
  const policy = {
    hosts: [],
    localPorts: [],
    input: { policy: { hosts: [], localPorts: [], read: [], write: [], ...limits } },
  };
  const io = { columns: 80, env: {} };
  const lines = (unlimited: readonly Limit[]) =>
    policyLines(policy, { chosen: 'bwrap', instead: [], unlimited }, io, plain);
  expect(lines([])).toContain('  limits    4.0 GB of memory, 512 processes, all processors');
  expect(lines(['memory', 'processes'])).toContain(
    '  limits    memory not limited here, processes not limited here, all processors',
  );
});

test('a backend that is not there says how to get it', () => {
  const fix = ['sudo apt-get install podman uidmap'];
  const report = { name: 'container', available: false, detail: 'podman is not installed', fix, claims: [] } as const;
  expect(backendLines(report, 80, plain)).toEqual([
    '- container podman is not installed',
    '  get it    sudo apt-get install podman uidmap',
  ]);
});

test('what a run takes, or why it is refused', () => {
  expect(choiceLines({ chosen: 'bwrap', instead: ['sbx: not installed'] }, 80, plain)).toEqual([
    '',
    'a run here uses bwrap',
    '            sbx: not installed',
  ]);
  expect(choiceLines({ chosen: null, instead: ['nothing here can isolate'] }, 80, plain)[1]).toBe(
    'a run here is refused',
  );
});

const ROW: BatteryRow = {
  ...{ backend: 'bwrap', id: 'a', category: 'files', attempt: 'write outside' },
  ...{ tried: true, held: true, detail: 'no' },
};
const OPEN: BatteryRow = { ...ROW, attempt: 'remove outside', held: false, detail: 'a file is\ngone' };
const LACKING: BatteryRow = {
  ...ROW,
  attempt: 'ptrace',
  tried: false,
  held: false,
  detail: 'there is no perl inside',
  lacks: 'perl',
};

test('ways out stand under their kind; one that was not held with what got out, one that was not tried with why', () => {
  expect(batteryLines('bwrap', [ROW, OPEN, LACKING], { ms: 5000, columns: 80 }, plain)).toEqual([
    'bwrap: 3 ways out: 1 held, 1 not held, 1 not tried (5.0s)',
    'files',
    '  held      write outside',
    '  NOT HELD  remove outside',
    '            a file is gone',
    '  not tried ptrace',
    '            there is no perl inside',
  ]);
});

test('at the end it names what was not held', () => {
  const end = (...rows: readonly BatteryRow[]) => batteryEnd('bwrap', rows, 80, plain);
  const leftOut: BatteryRow = { ...ROW, tried: false, held: false };
  expect(end(ROW, OPEN, { ...OPEN, attempt: 'mount' }, leftOut)).toEqual(['bwrap: not held: remove outside · mount']);
  expect(end(ROW, leftOut)).toEqual(['bwrap: not tried: write outside']);
  expect(end(ROW, LACKING)).toEqual(['bwrap: every attempt that could be tried held']);
  expect(end(ROW)).toEqual(['bwrap: everything held']);
});
