import { describe, expect, test } from 'vitest';
import { checkAnalysis, checkJudgement, checkReason, joined } from './replies.ts';

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
    [checkAnalysis({ completion: 'yes' }), 'completion is true or false, not a string'],
    [checkAnalysis([]), 'an analysis is an object or null, not a list'],
    [checkAnalysis({ blocked: 1 }), 'blocked is a sentence, not a number'],
    [checkAnalysis({ notes: ['a', 1] }), 'notes is a list of texts'],
    [checkReason(true), 'a reason to end the run is a sentence or null, not a boolean'],
    [checkJudgement({}), 'outcome is one of pass, fail, error, no-tests'],
    [checkJudgement({ outcome: 'pass', passed: -1 }), 'passed and failed are counts of tests, or null'],
    [checkJudgement({ outcome: 'pass', confidence: 2 }), 'confidence is a number from 0 to 1'],
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
