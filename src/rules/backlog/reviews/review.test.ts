import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../contracts/index.ts';
import { aStory } from '../story.fixture.ts';
import { applyClaim, CAP_MARK } from './review.ts';

function applied(claim: Claim, input: Partial<Parameters<typeof applyClaim>[0]> = {}) {
  return applyClaim({
    story: aStory('A', { reviewStatus: 'needs_review' }),
    claim,
    skipReview: false,
    reviewCap: 5,
    onReviewCap: 'approve',
    checksGreen: true,
    failingOutput: '',
    agentNotes: '',
    summary: 'added the thing',
    ...input,
  });
}

const ready: Claim = { kind: 'ready', source: 'backlog' };
const approved: Claim = { kind: 'approved', source: 'backlog' };
const findings: Claim = { kind: 'changes-requested', source: 'backlog', feedback: 'rename it' };
const red = { checksGreen: false, failingOutput: '1 test failed' };

describe('applyClaim', () => {
  it('sends a finished story to review', () => {
    expect(applied(ready, { story: aStory('A') })).toEqual({
      fields: { reviewStatus: 'needs_review' },
      state: 'needs_review',
      outcome: 'ready',
    });
  });

  it('clears the feedback when a fix goes back to review, and leaves the count', () => {
    const story = aStory('A', { reviewStatus: 'changes_requested', reviewFeedback: 'rename it', reviewCount: 2 });
    expect(applied(ready, { story }).fields).toEqual({ reviewStatus: 'needs_review', reviewFeedback: '' });
  });

  it('approves on green checks, counts the review and fills empty notes', () => {
    expect(applied(approved)).toEqual({
      fields: { passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'added the thing' },
      state: 'approved',
      outcome: 'approved',
    });
  });

  it("prefers the reviewer's notes, then the agent's, then the story's own, to the summary", () => {
    const story = aStory('A', { notes: 'own' });
    expect(applied(approved, { story }).fields.notes).toBe('own');
    expect(applied(approved, { story, agentNotes: 'agent' }).fields.notes).toBe('agent');
    expect(applied({ ...approved, notes: 'reviewer' }, { story, agentNotes: 'agent' }).fields.notes).toBe('reviewer');
  });

  it('turns an approval with red checks into requested changes with their output', () => {
    expect(applied(approved, red)).toEqual({
      fields: { reviewStatus: 'changes_requested', reviewFeedback: '1 test failed', reviewCount: 1 },
      state: 'changes_requested',
      outcome: 'changes-requested',
    });
  });

  it('requests changes with the feedback, and the output of red checks beside it', () => {
    expect(applied(findings).fields).toEqual({
      reviewStatus: 'changes_requested',
      reviewFeedback: 'rename it',
      reviewCount: 1,
    });
    expect(applied(findings, red).fields.reviewFeedback).toBe('rename it\n\n1 test failed');
  });

  it('takes passes back from a story that came along as passing but does not stand a review', () => {
    const story = aStory('A', { passes: true, reviewStatus: 'needs_review' });
    expect(applied(findings, { story }).fields.passes).toBe(false);
    expect(applied(ready, { story, skipReview: true, ...red }).fields.passes).toBe(false);
    expect(applied(ready, { story }).fields.passes).toBe(false);
  });

  it('approves at the cap and keeps the concerns under a mark in the notes', () => {
    const story = aStory('A', { reviewStatus: 'needs_review', reviewCount: 4, notes: 'works' });
    expect(applied(findings, { story })).toEqual({
      fields: { passes: true, reviewStatus: 'approved', reviewCount: 5, notes: `works\n\n${CAP_MARK} rename it` },
      state: 'approved',
      outcome: 'auto-approved',
      concerns: 'rename it',
    });
    expect(applied(findings, { story: { ...story, reviewCount: 3 } }).outcome).toBe('changes-requested');
  });

  it('with a cap of one approves after the first review', () => {
    expect(applied(findings, { reviewCap: 1 })).toMatchObject({ outcome: 'auto-approved', fields: { reviewCount: 1 } });
  });

  it('blocks at the cap when checks are red or the configuration asks for it', () => {
    expect(applied(findings, { reviewCap: 1, ...red })).toMatchObject({
      state: 'blocked',
      outcome: 'blocked',
      fields: { blocked: 'review cap of 1 reached and checks fail', reviewStatus: 'changes_requested', reviewCount: 1 },
    });
    expect(applied(approved, { reviewCap: 1, ...red }).outcome).toBe('blocked');
    expect(applied(findings, { reviewCap: 1, onReviewCap: 'block' })).toMatchObject({
      fields: {
        blocked: 'review cap of 1 reached and the last review still found issues',
        reviewFeedback: 'rename it',
      },
    });
  });

  it('blocks a story with the reason that was claimed and leaves its review state', () => {
    const claim: Claim = { kind: 'blocked', source: 'tool', reason: 'no key' };
    expect(applied(claim)).toEqual({ fields: { blocked: 'no key' }, state: 'blocked', outcome: 'blocked' });
  });

  it('makes a story done without review on green checks, and sends it back on red ones', () => {
    const options = { skipReview: true };
    expect(applied(ready, options)).toEqual({
      fields: { passes: true, reviewStatus: null, notes: 'added the thing' },
      state: 'done',
      outcome: 'done',
    });
    expect(applied(ready, { ...options, ...red })).toEqual({
      fields: { reviewStatus: 'changes_requested', reviewFeedback: '1 test failed' },
      state: 'changes_requested',
      outcome: 'changes-requested',
    });
  });
});
