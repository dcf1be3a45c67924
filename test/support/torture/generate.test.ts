import { expect, test } from 'vitest';
import { describeCase } from './case.ts';
import { caseOf, FAULT_KINDS } from './generate.ts';
import { sweep } from './sweep.ts';

const many = Array.from({ length: 2_000 }, (_, seed) => caseOf(seed));

test('the same seed makes the same case, another one another', () => {
  expect(caseOf(7)).toEqual(caseOf(7));
  expect(new Set(many.map(describeCase)).size).toBeGreaterThan(1_500);
});

test('every kind of fault is met, and no case has two crash points, two wrong agents or two lots of starts', () => {
  const met = new Set(many.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
  expect([...met].sort()).toEqual([...FAULT_KINDS].sort());
  for (const { faults } of many) {
    expect(faults.length).toBeGreaterThan(0);
    for (const once of ['crash', 'agent', 'starts'])
      expect(faults.filter(({ kind }) => kind === once).length).toBeLessThan(2);
  }
});

test('only the kinds that were asked for are made', () => {
  const cases = Array.from({ length: 200 }, (_, seed) => caseOf(seed, ['clock', 'file']));
  expect(new Set(cases.flatMap(({ faults }) => faults.map(({ kind }) => kind)))).toEqual(new Set(['clock', 'file']));
});

test('a case survives being saved as JSON', () => {
  for (const torture of many.slice(0, 100)) expect(JSON.parse(JSON.stringify(torture))).toEqual(torture);
});

test('a sweep has every case once, in an order that its seed gives', () => {
  const one = sweep(['agent', 'file', 'crash'], 1);
  const names = one.map(describeCase);
  expect(new Set(names).size).toBe(names.length);
  expect(sweep(['agent', 'file', 'crash'], 2).map(describeCase).sort()).toEqual([...names].sort());
  expect(sweep(['agent', 'file', 'crash'], 2).map(describeCase)).not.toEqual(names);
});
