import { describe, expect, it } from 'vitest';
import { aLine, anAnswer, aReset } from './ledger.fixture.ts';
import { answersFor, nextQuestion, questionsOf } from './questions.ts';

const asks = (id: string, text: string, story = 'A') =>
  aLine({ story, iteration: 4, startedAt: 5000, blocked: `question ${id}: ${text}`, verdict: 'accepted' });

describe('questionsOf', () => {
  it('lists what agents asked, with the answers of people', () => {
    const ledger = [
      asks('Q1', 'Euro or dollar?\nThe file has both.'),
      asks('Q2', 'Who?', 'B'),
      anAnswer('Q1', { text: 'Euro.', at: 9000 }),
    ];
    expect(questionsOf(ledger)).toEqual([
      {
        id: 'Q1',
        story: 'A',
        text: 'Euro or dollar?\nThe file has both.',
        at: 6000,
        run: 'r1',
        iteration: 4,
        answer: { text: 'Euro.', at: 9000 },
      },
      { id: 'Q2', story: 'B', text: 'Who?', at: 6000, run: 'r1', iteration: 4, answer: null },
    ]);
  });

  it('takes no other block for a question, nor an answer for another story', () => {
    expect(questionsOf([aLine({ blocked: 'no key; question Q1: is open' }), aLine(), aReset()])).toEqual([]);
    expect(questionsOf([asks('Q1', 'Who?'), anAnswer('Q1', { story: 'B' })])[0]?.answer).toBeNull();
  });

  it('gives an answer to the later of two questions with the same id', () => {
    const answered = questionsOf([asks('Q7', 'old'), asks('Q7', 'new'), anAnswer('Q7')]);
    expect(answered.map(({ answer }) => answer !== null)).toEqual([false, true]);
  });
});

it('nextQuestion is an id that nothing in the workspace has', () => {
  expect(nextQuestion([])).toBe('Q1');
  expect(nextQuestion([asks('Q9', 'a'), asks('Q10', 'b', 'B'), aLine({ blocked: 'no key' })])).toBe('Q11');
});

it('answersFor are the answered questions of that story, oldest first', () => {
  const ledger = [
    asks('Q1', 'a'),
    asks('Q2', 'b', 'B'),
    asks('Q3', 'c'),
    anAnswer('Q3'),
    anAnswer('Q1'),
    asks('Q4', 'd'),
  ];
  expect(answersFor(ledger, 'A').map(({ id, answer }) => [id, answer.text])).toEqual([
    ['Q1', 'do that'],
    ['Q3', 'do that'],
  ]);
  expect(answersFor(ledger, 'B')).toEqual([]);
});
