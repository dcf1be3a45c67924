import { describe, expect, it } from 'vitest';
import type { LedgerLine } from '../../contracts/index.ts';
import { type BacklogDocument, loadBacklog } from '../backlog/index.ts';
import { aLine } from '../safeguards/ledger.fixture.ts';
import { answerEdits, waitsFor } from './answer.ts';

function backlog(blocked: string | undefined): BacklogDocument {
  const story = { id: 'A', title: 'a', acceptanceCriteria: ['it works'], priority: 1, passes: false, blocked };
  const { document, problems } = loadBacklog({
    format: 'prd-json',
    file: 'prd.json',
    bytes: new TextEncoder().encode(JSON.stringify({ branchName: 'b', userStories: [story] })),
    reviewsFile: 'reviews.json',
    reviewsBytes: null,
  });
  if (!document) throw new Error(JSON.stringify(problems));
  return document;
}

const asked: LedgerLine = aLine({ blocked: 'question Q1: Which?' });
const freed = [{ kind: 'set', id: 'A', fields: { blocked: null } }];

describe('answerEdits', () => {
  const answer = { question: 'Q1', text: 'this' };
  const line = { version: 1, kind: 'answer', question: 'Q1', story: 'A', text: 'this', at: 7 };

  it('frees the story that waits for it', () => {
    expect(answerEdits(backlog('question Q1: Which?'), [asked], answer, 7)).toEqual({
      edits: freed,
      line,
      unawaited: null,
    });
  });

  it.each([
    ['is already unblocked', undefined, 'is already unblocked'],
    ['was blocked for another reason', 'out of scope', 'is blocked for another reason (out of scope)'],
    ['asked something else since', 'question Q12: Why?', 'is blocked for another reason (question Q12: Why?)'],
  ])('only records the answer when the story %s, and says so', (_, blocked, unawaited) => {
    expect(answerEdits(backlog(blocked), [asked], answer, 7)).toEqual({ edits: [], line, unawaited });
  });

  it('only records the answer when the story is gone', () => {
    expect(answerEdits(backlog(undefined), [aLine({ story: 'B', blocked: 'question Q1: x' })], answer, 7)).toEqual({
      edits: [],
      line: { ...line, story: 'B' },
      unawaited: 'is no longer in the backlog',
    });
  });

  it('says that a story is done that a person has approved meanwhile', () => {
    const document = backlog(undefined);
    const [story] = document.backlog.stories;
    const stories = [{ ...story!, passes: true, reviewStatus: 'approved' as const }];
    const approved = { ...document, backlog: { ...document.backlog, stories } };
    expect(answerEdits(approved, [asked], answer, 7)).toMatchObject({ edits: [], unawaited: 'is done' });
  });

  it('refuses what nobody asked, and a second answer', () => {
    const document = backlog('question Q1: Which?');
    expect(answerEdits(document, [], answer, 7)).toEqual({ refused: 'there is no question Q1' });
    const answered = { ...line, at: 3 } as LedgerLine;
    expect(answerEdits(document, [asked, answered], answer, 7)).toEqual({ refused: 'Q1 was already answered' });
  });
});

it('waitsFor tells one question from another, and from any other reason', () => {
  expect(waitsFor({ blocked: 'question Q1: Which?' }, 'Q1')).toBe(true);
  expect(waitsFor({ blocked: 'question Q10: Which?' }, 'Q1')).toBe(false);
  expect(waitsFor({ blocked: 'no answer to question Q1: Which?' }, 'Q1')).toBe(false);
  expect(waitsFor({}, 'Q1')).toBe(false);
  expect(waitsFor(undefined, 'Q1')).toBe(false);
});
