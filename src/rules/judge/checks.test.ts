import { expect, test } from 'vitest';
import type { CheckResult, RunRecord } from '../../contracts/index.ts';
import { aLine } from '../safeguards/ledger.fixture.ts';
import { greenCommands, redAtBaseline } from './checks.ts';

const check = (command: string, ok: boolean): CheckResult => ({
  command,
  ok,
  exitCode: ok ? 0 : 1,
  timedOut: false,
  durationMs: 1,
  tail: '',
});

const record: RunRecord = {
  version: 1,
  run: 'r1',
  startedAt: 0,
  host: 'h',
  pid: 1,
  specDir: 'ralph',
  baseline: [check('unit', true), check('lint', false)],
  maxIterations: 9,
  ended: null,
};

const ran = (run: string, verdict: 'accepted' | 'advanced' | 'rejected', ...checks: CheckResult[]) =>
  aLine({ run, verdict, checks });

test('what was green before the first iteration must stay green', () => {
  expect([...greenCommands(record, [])]).toEqual(['unit']);
  expect([...redAtBaseline(record, greenCommands(record, []))]).toEqual(['lint']);
});

test('what turned green in an accepted or advanced iteration of this run must stay so too', () => {
  const ledger = [ran('r1', 'accepted', check('lint', true)), ran('r1', 'advanced', check('own', true))];
  const green = greenCommands(record, ledger);
  expect([...green]).toEqual(['unit', 'lint', 'own']);
  expect([...redAtBaseline(record, green)]).toEqual([]);
});

test('rejected iterations, red checks and other runs prove nothing', () => {
  const ledger = [
    ran('r1', 'rejected', check('lint', true)),
    ran('r1', 'accepted', check('other', false)),
    ran('r0', 'accepted', check('lint', true)),
  ];
  expect([...greenCommands(record, ledger)]).toEqual(['unit']);
});

test('without a baseline nothing was green', () => {
  expect([...greenCommands({ ...record, baseline: null }, [])]).toEqual([]);
});
