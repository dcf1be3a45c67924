import { describe, expect, test } from 'vitest';
import { checkAnalysis, checkJudgement, checkReason, fixFor, joined, localImports } from './plugins.ts';

describe('a reply of a plugin', () => {
  test('may be nothing at all', () => {
    for (const check of [checkAnalysis, checkReason, checkJudgement]) {
      expect(check(null)).toEqual({ value: null });
      expect(check(undefined)).toEqual({ value: null });
    }
  });

  test('gets what it leaves out', () => {
    expect(checkAnalysis({})).toEqual({ value: { completion: false, blocked: null, notes: [] } });
    expect(checkJudgement({ outcome: 'fail' })).toEqual({
      value: { outcome: 'fail', passed: null, failed: null, confidence: 0.9 },
    });
    expect(checkReason('  ')).toEqual({ value: 'it gave no reason' });
  });

  test('is cut where it does not end', () => {
    const long = 'x'.repeat(10_000);
    const notes = Array.from({ length: 50 }, () => long);
    const checked = checkAnalysis({ blocked: long, notes });
    const { blocked, notes: kept } = ('value' in checked && checked.value) || { blocked: null, notes: [] };
    expect(blocked).toHaveLength(2_001);
    expect(kept).toHaveLength(10);
  });

  test.each([
    [checkAnalysis({ completion: 'yes' }), 'completion must be true or false, not a string'],
    [checkAnalysis([]), 'an analysis must be an object or null, not a list'],
    [checkAnalysis({ blocked: 1 }), 'blocked must be a sentence, not a number'],
    [checkAnalysis({ notes: ['a', 1] }), 'notes must be a list of strings'],
    [checkReason(true), 'a reason to end the run must be a sentence or null, not a boolean'],
    [checkJudgement({}), 'outcome must be one of pass, fail, error, no-tests, unknown'],
    [checkJudgement({ outcome: 'pass', passed: -1 }), 'passed and failed must be counts of tests, or null'],
    [checkJudgement({ outcome: 'pass', confidence: 2 }), 'confidence must be a number from 0 to 1'],
  ])('that is wrong says how: %j', (checked, wrong) => {
    expect(checked).toEqual({ wrong });
  });
});

test('of several analyzers the first blocker, every note and any completion count', () => {
  const none = { completion: false, blocked: null, notes: [] };
  expect(
    joined([
      { ...none, notes: ['a'] },
      { ...none, blocked: 'first', notes: ['b'] },
      { ...none, completion: true, blocked: 'second' },
    ]),
  ).toEqual({ completion: true, blocked: 'first', notes: ['a', 'b'] });
  expect(joined([])).toEqual(none);
});

test.each([
  ["Error: Cannot find package 'lodash' imported from /project/p.mjs", 'install that package in the project'],
  ["Error: Cannot find module '/project/lib' imported from /project/p.mjs", 'ending included'],
  ['SyntaxError: Cannot use import statement outside a module', 'name the file .mjs'],
  ["SyntaxError: Unexpected token 'export'", 'name the file .mjs'],
  ['ReferenceError: require is not defined in ES module scope', 'name the file .cjs'],
  ['TypeError: Unknown file extension ".ts" for /project/p.ts', 'does not run TypeScript'],
  ['TypeError: its default export is not a plugin (an object, or a function that returns one)', 'export default {'],
  ['TypeError: it needs version 99 of the plugin API; this ralph has 1', 'update ralph'],
  ['it took longer than 10 seconds', 'do less at the top'],
  ['Error: options.at is a time such as "07:30", or a date', 'fix ./p.mjs or its options'],
])('%s has a way out', (message, fix) => {
  expect(fixFor('./p.mjs', message)).toContain(fix);
});

test.each([
  [`import { a } from './lib/a.js';`, ['p/lib/a.js']],
  [`import {\n  a,\n} from "../shared/a.js";`, ['shared/a.js']],
  [`export * from './b.mjs'; import './c.mjs';`, ['p/b.mjs', 'p/c.mjs']],
  [`const d = require('./d'); await import('./e.js?fresh');`, ['p/d', 'p/e.js']],
  [`new URL('./data.json', import.meta.url)`, ['p/data.json']],
  [`import x from 'node:fs'; import y from 'package';`, []],
  [`import out from '../../elsewhere.js';`, []],
  ['const path = "./no-import.js";', []],
])('%j', (text, found) => {
  expect(localImports('p/plugin.js', text)).toEqual(found);
});
