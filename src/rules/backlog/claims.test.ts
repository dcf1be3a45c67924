import { describe, expect, it, test } from 'vitest';
import type { Claim } from '../../contracts/index.ts';
import { parseStatusBlock, type StatusBlock } from '../analysis/index.ts';
import { citedBy, mergeClaims, whyNotShown } from './claims.ts';

function block(...lines: string[]): StatusBlock | null {
  return parseStatusBlock(['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n'));
}

function merged(input: Partial<Parameters<typeof mergeClaims>[0]>) {
  return mergeClaims({
    mode: 'implement',
    story: 'A',
    skipReview: false,
    tool: null,
    backlog: null,
    block: null,
    ...input,
  });
}

const ready: Claim = { kind: 'ready', source: 'backlog' };

describe('mergeClaims', () => {
  it('prefers a tool call to an edit of the backlog, and that to the status block', () => {
    const tool: Claim = { kind: 'blocked', source: 'tool', reason: 'no key' };
    const complete = block('STATUS: COMPLETE');
    expect(merged({ tool, backlog: ready, block: complete }).claim).toEqual(tool);
    expect(merged({ backlog: ready, block: complete }).claim).toEqual(ready);
    expect(merged({ block: complete })).toEqual({ claim: { kind: 'ready', source: 'status-block' }, violations: [] });
  });

  it.each(['implement', 'review-fix'] as const)(
    'takes COMPLETE in %s as ready, though the field was forgotten',
    (mode) => {
      expect(merged({ mode, block: block('STATUS: COMPLETE', 'EXIT_SIGNAL: true') }).claim).toMatchObject({
        kind: 'ready',
      });
    },
  );

  it('takes from the block what the file of stories has no field for', () => {
    const before = block('STATUS: COMPLETE', 'ALREADY_DONE: true', 'EVIDENCE: src/a.ts');
    expect(merged({ backlog: ready, block: before }).claim).toEqual({ ...ready, alreadyDone: ['src/a.ts'] });
    const tool: Claim = { kind: 'ready', source: 'tool', alreadyDone: ['b.ts'] };
    expect(merged({ tool, block: before }).claim).toEqual(tool);
    const approval: Claim = { kind: 'approved', source: 'backlog' };
    const reasons = block('REVIEW: APPROVED', 'ACCEPTED_FINDINGS: 2 the story removes it');
    expect(merged({ mode: 'review', backlog: approval, block: reasons }).claim).toEqual({
      ...approval,
      accepted: [{ finding: 2, reason: 'the story removes it' }],
    });
  });

  it('lets EXIT_SIGNAL: false beat COMPLETE', () => {
    expect(merged({ block: block('STATUS: COMPLETE', 'EXIT_SIGNAL: false') })).toEqual({ claim: null, violations: [] });
  });

  it('claims nothing while work is in progress or nothing is said', () => {
    expect(merged({ block: block('STATUS: IN_PROGRESS') }).claim).toBeNull();
    expect(merged({})).toEqual({ claim: null, violations: [] });
  });

  it('takes STATUS: BLOCKED as a blocker in every mode, with the recommendation as its reason', () => {
    const blocked = block('STATUS: BLOCKED', 'RECOMMENDATION: the API key is missing');
    for (const mode of ['implement', 'review', 'review-fix'] as const) {
      expect(merged({ mode, block: blocked })).toEqual({
        claim: { kind: 'blocked', source: 'status-block', reason: 'the API key is missing' },
        violations: [],
      });
    }
    expect(merged({ block: block('STATUS: BLOCKED') }).claim).toMatchObject({
      reason: expect.stringContaining('without naming it'),
    });
  });

  it('takes the verdict of a review from the block', () => {
    const mode = 'review';
    expect(merged({ mode, block: block('REVIEW: APPROVED') }).claim).toEqual({
      kind: 'approved',
      source: 'status-block',
    });
    expect(merged({ mode, block: block('REVIEW: CHANGES_REQUESTED', 'FEEDBACK: 1. x', '2. y') }).claim).toEqual({
      kind: 'changes-requested',
      source: 'status-block',
      feedback: '1. x\n2. y',
    });
  });

  it('refuses requested changes without feedback', () => {
    const result = merged({ mode: 'review', block: block('REVIEW: CHANGES_REQUESTED') });
    expect(result.claim).toBeNull();
    expect(result.violations.map((v) => v.rule)).toEqual(['claim/mode', 'claim/review-missing']);
  });

  it('accuses no review that something else ended before it could say anything', () => {
    expect(merged({ mode: 'review', cutShort: true }).violations).toEqual([]);
  });

  it('records a review without a verdict, also one that only says COMPLETE', () => {
    for (const said of [null, block('STATUS: COMPLETE')]) {
      expect(merged({ mode: 'review', block: said })).toMatchObject({
        claim: null,
        violations: [{ rule: 'claim/review-missing', story: 'A' }],
      });
    }
  });

  it('counts self-approval by any channel as ready and records it', () => {
    const approved: Claim = { kind: 'approved', source: 'tool' };
    const result = merged({ tool: approved });
    expect(result).toMatchObject({
      claim: { kind: 'ready', source: 'tool' },
      violations: [{ rule: 'claim/self-approval' }],
    });
    expect(merged({ block: block('REVIEW: APPROVED') })).toMatchObject({
      claim: { kind: 'ready' },
      violations: [{ rule: 'claim/self-approval' }],
    });
    expect(merged({ tool: approved, skipReview: true }).violations).toEqual([]);
  });

  it('passes over a claim the mode does not allow and takes the next', () => {
    const result = merged({ mode: 'review', backlog: ready, block: block('REVIEW: APPROVED') });
    expect(result).toMatchObject({ claim: { kind: 'approved' }, violations: [{ rule: 'claim/mode' }] });
    expect(merged({ block: block('REVIEW: CHANGES_REQUESTED', 'FEEDBACK: x') })).toMatchObject({
      claim: null,
      violations: [{ rule: 'claim/mode' }],
    });
  });

  describe('in words alone', () => {
    const saidInWords = true;
    const inWords: Claim = { kind: 'ready', source: 'words' };

    it.each(['implement', 'review-fix'] as const)('counts as ready in %s, below every other channel', (mode) => {
      expect(merged({ mode, saidInWords })).toEqual({ claim: inWords, violations: [] });
      expect(merged({ mode, saidInWords, block: block('STATUS: COMPLETE') }).claim?.source).toBe('status-block');
      expect(merged({ mode, saidInWords, block: block('TESTS_STATUS: PASSING') }).claim).toEqual(inWords);
      const tool: Claim = { kind: 'blocked', source: 'tool', reason: 'no key' };
      expect(merged({ mode, saidInWords, tool }).claim).toEqual(tool);
    });

    it.each([
      ['STATUS: IN_PROGRESS'],
      ['EXIT_SIGNAL: false'],
      ['STATUS: COMPLETE', 'EXIT_SIGNAL: false'],
      ['STATUS: IN_PROGRESS', 'EXIT_SIGNAL: true'],
    ])('is nothing beside a block with %s %s', (...lines) => {
      expect(merged({ saidInWords, block: block(...lines) }).claim).toBeNull();
    });

    it('is nothing beside STATUS: BLOCKED, and in a review', () => {
      expect(merged({ saidInWords, block: block('STATUS: BLOCKED') }).claim?.kind).toBe('blocked');
      expect(merged({ saidInWords, mode: 'review' })).toMatchObject({
        claim: null,
        violations: [{ rule: 'claim/review-missing' }],
      });
    });
  });
});

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['`src/a.ts:12`', 'src/a.ts'],
  ['./test/a.test.ts::says hello', 'test/a.test.ts'],
  ['test/a.test.ts > says hello', 'test/a.test.ts'],
  ['src/a.ts (the parser)', 'src/a.ts'],
  ['src/a.ts.', 'src/a.ts'],
  ['my file.ts', 'my file.ts'],
])('a piece of evidence names a file: %s', (evidence, path) => {
  expect(citedBy(evidence).paths).toContain(path);
});

test.each(['../secret', '/etc/passwd', 'a/../../b', 'src/a.ts\0x'])(
  'nothing outside of the work tree: %j',
  (evidence) => {
    expect(citedBy(evidence).paths.filter((path) => path !== 'src/a.ts')).toEqual([]);
  },
);

test('a commit is named by at least seven digits', () => {
  expect(citedBy('1a2b3c4 adds the parser').commit).toBe('1a2b3c4');
  expect(citedBy('commit 1a2b3c4d').commit).toBe('1a2b3c4d');
  expect(citedBy('1a2b3c').commit).toBeNull();
  expect(citedBy('defaced.ts').commit).toBe('defaced');
});

test('existing evidence lets a review decide, and nothing lets a run without reviews go on', () => {
  expect(whyNotShown({ evidence: ['a'], missing: [] }, false)).toBeNull();
  expect(whyNotShown({ evidence: ['a'], missing: [] }, true)).toMatch(/without a review/);
});
