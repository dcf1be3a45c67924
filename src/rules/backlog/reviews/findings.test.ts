import { describe, expect, test } from 'vitest';
import { findingId, findingsIn, isSameFinding, restOf } from './findings.ts';

const claims = (feedback: string) => findingsIn(feedback, []).map(({ claim }) => claim);
const said = (claim: string, file: string | null = null) => ({ file, criterion: null, claim });

describe('findingsIn', () => {
  test.each([
    ['one sentence', 'rename it', ['rename it']],
    ['a list with a lead', 'Two problems:\n\n- rename it\n- test it', ['rename it', 'test it']],
    ['numbers', '1. rename it\n2) test it', ['rename it', 'test it']],
    ['numbers in one line', '1) rename it; 2) test it', ['rename it', 'test it']],
    ['paragraphs', 'Rename it.\n\nTest it.', ['Rename it.', 'Test it.']],
    [
      'what is indented belongs to its item',
      '- rename it\n  - as said\n\n  again\n- test it',
      ['rename it\n  - as said\n\n  again', 'test it'],
    ],
    ['code stays whole', '- rename it\n```\n- a\n```\n- test it', ['rename it\n```\n- a\n```', 'test it']],
    ['a heading is no finding', '## Findings\n- rename it', ['rename it']],
    ['what follows a list is one, too', '- rename it\n\nAnd the tests fail.', ['rename it', 'And the tests fail.']],
    ['letters', 'a) rename it\nb) test it', ['rename it', 'test it']],
    ['letters in one line', 'a) rename it; b) test it', ['rename it', 'test it']],
    ['numbered words', 'Finding 1: rename it\nFinding 2: test it', ['Finding 1: rename it', 'Finding 2: test it']],
    ['boxes that are ticked are done', '- [x] rename it\n- [ ] test it', ['test it']],
    [
      'rows of a table',
      'Findings:\n\n| # | Where | What |\n|---|:--|---|\n| 1 | src/a.ts | rename it |\n| 2 | src/b.ts | test it |\n\nThe guide is old.',
      ['src/a.ts | rename it', 'src/b.ts | test it', 'The guide is old.'],
    ],
    ['what is said in general', 'Looks bad.\n\n- rename it\n- test it\n\nPlease fix both.', ['rename it', 'test it']],
    ['a summary', '- rename it\n\nOverall: rework.', ['rename it']],
    ['an item in general', '- rename it\n- Overall: not ready yet', ['rename it']],
    ['a count', 'I found two problems.\n\nRename it.\n\nTest it.', ['Rename it.', 'Test it.']],
    ['nothing but general words', 'Looks bad.', ['Looks bad.']],
    ['words that only begin like general ones', '- test it\n\nIt is wrong for 0.', ['test it', 'It is wrong for 0.']],
    ['nothing', ' \n', []],
  ])('%s', (_, feedback, expected) => {
    expect(claims(feedback)).toEqual(expected);
  });

  test('names the file, and the criterion by its number or its words', () => {
    const criteria = ['a wrong password shows an error', 'the session survives a reload'];
    expect(findingsIn('src/log-in.ts:12 never shows the error of a wrong password', criteria)[0]).toMatchObject({
      file: 'src/log-in.ts',
      criterion: criteria[0],
    });
    expect(findingsIn('criterion 2 is not met', criteria)[0]?.criterion).toBe(criteria[1]);
    expect(findingsIn('Node.js 20.19 and e.g. https://example.org/a.html are fine', criteria)[0]).toMatchObject({
      file: null,
      criterion: null,
    });
  });

  test('names a criterion that is quoted, as a whole or in part', () => {
    const criteria = ['works A', 'works B', 'the session survives a reload of the page'];
    const named = (claim: string) => findingsIn(claim, criteria)[0]?.criterion;
    expect(named('"works A" is not met')).toBe('works A');
    expect(named('works B: it does not')).toBe('works B');
    expect(named('Nothing tests "survives a reload"')).toBe(criteria[2]);
    expect(named('it "works" sometimes')).toBeNull();
  });

  test('a very long list ends in one finding', () => {
    const lines = Array.from({ length: 80 }, (_, index) => `- point ${index}`).join('\n');
    expect(claims(lines)).toHaveLength(50);
  });
});

test('the rest of a feedback is what no finding says', () => {
  const findings = findingsIn('Two problems:\n1. rename it\n2. test it', []);
  expect(restOf('Two problems:\n1. rename it\n2. test it', findings)).toBe('');
  expect(restOf('1. rename it\n2. test it\n\n$ npm test\n1 failed', findings)).toBe('$ npm test\n1 failed');
});

test.each([
  'Looks bad.\n\n- [x] rename it\n- [ ] test it\n\nPlease fix all of these.',
  '| # | What |\n|---|---|\n| 1 | rename it |\n| 2 | test it |',
  'a) rename it\nb) test it',
])('of %j nothing is left beside its findings', (feedback) => {
  expect(restOf(feedback, findingsIn(feedback, []))).toBe('');
});

describe('a fingerprint', () => {
  test.each([
    'Criterion 1: ',
    'Finding 2: ',
    'Not fixed: ',
    'Still open: ',
    '**Major**: ',
    'Finding 1 (high): not fixed: ',
  ])('does not mind %j before the claim', (label) => {
    const claim = 'the empty list is not handled';
    expect(findingId(said(`${label}${claim}`))).toBe(findingId(said(claim)));
    expect(isSameFinding(said(`${label}rename it`), said('rename it'))).toBe(true);
  });

  test('does not mind case, spacing, punctuation, lines and the name of its own file', () => {
    const id = findingId(said('src/a.ts:12: Rename `it`!', 'src/a.ts'));
    expect(id).toMatch(/^F-[0-9a-f]{8}$/);
    expect(findingId(said('src/a.ts:40 rename  it', 'src/a.ts'))).toBe(id);
    expect(findingId(said('Rename it (lines 3-4).', 'src/a.ts'))).toBe(id);
    expect(findingId(said('Rename it', 'src/b.ts'))).not.toBe(id);
  });

  test('the same in slightly other words is the same finding, the contrary is not', () => {
    const one = said('the empty list is handled by no test in the suite', 'src/a.ts');
    expect(isSameFinding(one, said('the empty list is still handled by no test in this suite', 'src/a.ts'))).toBe(true);
    expect(isSameFinding(one, said('the empty list is handled by a test in the suite', 'src/a.ts'))).toBe(false);
    expect(isSameFinding(one, { ...one, file: 'src/b.ts' })).toBe(false);
    expect(isSameFinding(said('it returns 404 where 500 is meant'), said('it returns 500 where 404 is meant'))).toBe(
      false,
    );
    expect(isSameFinding(said('rename it'), said('rename that'))).toBe(false);
  });
});
