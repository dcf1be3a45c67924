import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Claim, ReviewFinding, SaidFinding } from '../../../contracts/index.ts';
import { hearReview, isSettled } from './memory.ts';

const said = (claim: string, file: string | null = null) => ({ file, criterion: null, claim });
const requested = (feedback: string): Claim => ({ kind: 'changes-requested', source: 'status-block', feedback });
const story = { reviewCount: 0, acceptanceCriteria: [], notes: '' };

/** The memory after a review that says this. */
function remember(input: {
  readonly before: readonly ReviewFinding[];
  readonly said: readonly SaidFinding[];
  readonly review: number;
  readonly changed: boolean;
}) {
  const { said: findings, review, ...rest } = input;
  const claim: Claim = { kind: 'changes-requested', source: 'tool', feedback: 'see its findings', findings };
  const heard = hearReview({ claim, story: { ...story, reviewCount: review - 1 }, ...rest });
  if (heard === null) throw new Error('no review was heard');
  return heard.memory;
}

function found(claim: string, state: ReviewFinding['state'] = 'open'): ReviewFinding {
  const [finding] = remember({ before: [], said: [said(claim)], review: 1, changed: true }).findings;
  if (finding === undefined) throw new Error('nothing was found');
  return { ...finding, state };
}

describe('the memory of reviews', () => {
  test('what is not found again was resolved by a change, or is dismissed without one', () => {
    const before = [found('rename it')];
    const next = { before, said: [], review: 2 };
    expect(remember({ ...next, changed: true }).findings[0]?.state).toBe('resolved');
    expect(remember({ ...next, changed: false }).findings[0]?.state).toBe('dismissed');
  });

  test('a resolved finding that comes back is open again and counts as new', () => {
    const { open, fresh } = remember({
      before: [found('rename it', 'resolved')],
      said: [said('Rename it!')],
      review: 3,
      changed: true,
    });
    expect(open).toMatchObject([{ state: 'open', foundIn: 1, lastFoundIn: 3 }]);
    expect(fresh).toEqual([open[0]?.id]);
  });

  test('a finding is recognised by its id, whatever else is said', () => {
    const waived = found('rename it', 'waived');
    const { dropped } = remember({
      before: [waived],
      said: [said(`${waived.id}: still has that odd name`)],
      review: 2,
      changed: true,
    });
    expect(dropped.map(({ id }) => id)).toEqual([waived.id]);
  });

  test('whatever reviews say, ids are unique, settled findings stay settled, and nothing is forgotten', () => {
    const claims = fc.constantFrom('rename it', 'test it', 'handle the empty list', 'returns 404', 'returns 500');
    const review = fc.record({ said: fc.array(claims, { maxLength: 4 }), changed: fc.boolean(), waive: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(review, { maxLength: 8 }), (reviews) => {
        let before: readonly ReviewFinding[] = [];
        for (const [index, one] of reviews.entries()) {
          const points = one.said.map((claim) => said(claim));
          const now = remember({ before, said: points, review: index + 1, changed: one.changed });
          const ids = now.findings.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
          for (const old of before.filter(isSettled))
            expect(now.findings.find(({ id }) => id === old.id)?.state).toBe(old.state);
          expect(now.open.every(({ lastFoundIn }) => lastFoundIn === index + 1)).toBe(true);
          expect(now.open.length + now.dropped.length).toBe(new Set(one.said).size);
          before = now.findings.map((finding, at) => (at === one.waive ? { ...finding, state: 'waived' } : finding));
        }
      }),
    );
  });
});

describe('hearReview', () => {
  const before = [found('rename it', 'waived')];

  test('nothing but settled findings counts as an approval, and the notes say so', () => {
    const heard = hearReview({ claim: requested('- rename it'), story, before, changed: true });
    expect(heard).toMatchObject({ settledOnly: true, claim: { kind: 'approved' } });
    expect(heard?.claim.kind === 'approved' && heard.claim.notes).toContain('(waived)');
  });

  test('settled findings are dropped from the feedback, the others stay', () => {
    const heard = hearReview({ claim: requested('- rename it\n- test it'), story, before, changed: true });
    expect(heard?.claim).toMatchObject({ kind: 'changes-requested', feedback: '- test it' });
    const whole = '- fix it\n- test it\n\nAlso see the guide.';
    expect(hearReview({ claim: requested(whole), story, before, changed: true })?.claim).toMatchObject({
      feedback: whole,
    });
  });

  test('the same findings in unchanged work converge; new ones, or a change, do not', () => {
    const open = [found('rename it')];
    const hear = (feedback: string, changed: boolean) =>
      hearReview({ claim: requested(feedback), story: { ...story, reviewCount: 1 }, before: open, changed })?.converged;
    expect(hear('Rename it.', false)).toBe(true);
    expect(hear('Rename it.', true)).toBe(false);
    expect(hear('- rename it\n- test it', false)).toBe(false);
  });

  test('a blocked review decides nothing', () => {
    const claim: Claim = { kind: 'blocked', source: 'tool', reason: 'no key' };
    expect(hearReview({ claim, story, before, changed: true })).toBeNull();
    expect(hearReview({ claim: null, story, before, changed: true })).toBeNull();
  });
});
