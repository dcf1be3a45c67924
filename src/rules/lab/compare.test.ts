import { describe, expect, test } from 'vitest';
import { compare } from './compare.ts';
import { aLab, anArm, aResult, aTask, upTo } from './lab.fixture.ts';
import { evidence, pairText } from './words.ts';

const opus = anArm('claude:opus');
const codex = anArm('codex');
const haiku = anArm('claude:haiku');

const of = ({ tasks, results, dropped }: ReturnType<typeof aLab>) => compare(tasks, results, dropped);
const texts = ({ pairs }: ReturnType<typeof of>) => pairs.map((pair) => pairText(pair, pairs.length));

describe('the figures of an arm', () => {
  test('count solved tasks, what they cost and how the work went', () => {
    const { arms, costUsd, dropped } = of(aLab(20, [{ arm: opus, solves: upTo(12), costUsd: 0.3 }]));
    expect(arms).toMatchObject([
      { tasks: 20, attempts: 20, solved: 12, share: 0.6, errors: 0, costUsd: 0.3, costPerSolved: 0.5, size: 1.5 },
    ]);
    expect(arms[0]?.interval.map((end) => end.toFixed(2))).toEqual(['0.39', '0.78']);
    expect(costUsd).toBe(6);
    expect(dropped).toEqual([
      { reason: 'no tests', count: 2, example: 'Update README' },
      { reason: 'flaky', count: 1, example: 'Retry uploads: 2 of 3 repetitions failed' },
    ]);
  });

  test('leave errors out of everything but their count and the bill', () => {
    const { arms, costUsd } = compare(
      [aTask('a'), aTask('b')],
      [aResult('a', opus, 'solved', { costUsd: 1 }), aResult('b', opus, 'error', { costUsd: 2, seconds: 9999 })],
      [],
    );
    expect(arms).toMatchObject([{ tasks: 1, attempts: 1, share: 1, errors: 1, costUsd: 1, seconds: 90 }]);
    expect(costUsd).toBe(3);
  });

  test('count an attempt that was repeated as it ended last', () => {
    const { arms } = compare([aTask('a')], [aResult('a', opus, 'error'), aResult('a', opus, 'solved')], []);
    expect(arms).toMatchObject([{ attempts: 1, solved: 1, errors: 0 }]);
  });

  test('of repeated tasks have an interval of the tasks, not of the attempts', () => {
    const results = upTo(10).flatMap((i) =>
      [1, 2, 3].map((repeat) => aResult(`t${i}`, opus, repeat === 1 ? 'solved' : 'unsolved', { repeat })),
    );
    const { arms } = compare([], results, []);
    expect(arms).toMatchObject([{ tasks: 10, attempts: 30, solved: 10 }]);
    expect(arms[0]?.share).toBeCloseTo(1 / 3);
    expect(arms[0]?.interval[0]).toBeCloseTo(0.127, 3);
  });
});

describe('the comparison of two arms', () => {
  test('shows a difference where there is one', () => {
    const found = of(
      aLab(20, [
        { arm: codex, solves: upTo(4) },
        { arm: opus, solves: upTo(14) },
      ]),
    );
    expect(found.arms.map(({ arm }) => arm.name)).toEqual(['claude:opus', 'codex']);
    expect(found.pairs).toMatchObject([{ tasks: 20, better: [10, 0], difference: 0.5, shown: true }]);
    expect(texts(found)).toEqual([
      'claude:opus solves more than codex: better on 10, worse on 0 of 20 tasks; +50 points (+30 to +70), p = 0.002.',
    ]);
  });

  test('says that none is shown, and when none could have been', () => {
    const equal = of(
      aLab(20, [
        { arm: opus, solves: upTo(12) },
        { arm: codex, solves: upTo(16, 6) },
      ]),
    );
    expect(texts(equal)).toEqual([expect.stringMatching(/^No difference shown between .* p = 1\.$/)]);
    const few = of(
      aLab(5, [
        { arm: opus, solves: upTo(5) },
        { arm: codex, solves: [] },
      ]),
    );
    expect(texts(few)).toEqual([
      expect.stringMatching(/^No difference shown .* \+100 points, p = .* Too few tasks tell them apart/),
    ]);
  });

  test('is corrected for the number of pairs', () => {
    const six = { arm: opus, solves: upTo(6) };
    const alone = of(aLab(12, [six, { arm: codex, solves: [] }]));
    const three = of(aLab(12, [six, { arm: codex, solves: [] }, { arm: haiku, solves: [] }]));
    expect(alone.pairs.map(({ shown }) => shown)).toEqual([true]);
    expect(three.pairs.map(({ shown }) => shown)).toEqual([false, false, false]);
  });

  test('takes only tasks that both were judged on', () => {
    const lab = aLab(12, [
      { arm: opus, solves: upTo(12) },
      { arm: codex, solves: upTo(6) },
    ]);
    const results = lab.results.map((one) =>
      one.arm === codex && one.task === 't1' ? { ...one, outcome: 'error' as const } : one,
    );
    expect(compare(lab.tasks, results, []).pairs).toMatchObject([{ tasks: 11, better: [6, 0] }]);
  });
});

describe('the suggestion', () => {
  test('is nothing with too little data, and says why', () => {
    const { suggestion } = of(
      aLab(9, [
        { arm: opus, solves: upTo(9) },
        { arm: codex, solves: [] },
      ]),
    );
    expect(suggestion.arm).toBeNull();
    expect(suggestion.why).toContain('too little data');
    expect(of(aLab(30, [{ arm: opus, solves: upTo(9) }])).suggestion.arm).toBeNull();
    const none = of(
      aLab(30, [
        { arm: opus, solves: [] },
        { arm: codex, solves: [] },
      ]),
    );
    expect(none.suggestion).toEqual({ arm: null, why: 'no arm solved a task: there is nothing to suggest' });
    expect(compare([], [], []).suggestion.arm).toBeNull();
  });

  test('is the cheaper one of two that solve about as much, with what speaks for it', () => {
    const found = of(
      aLab(20, [
        { arm: opus, solves: upTo(13), costUsd: 0.9 },
        { arm: codex, solves: upTo(14, 3), costUsd: 0.3 },
      ]),
    );
    expect(found.suggestion.arm).toBe('codex');
    const codexFigures = found.arms.find(({ arm }) => arm.name === 'codex');
    expect(codexFigures && evidence(codexFigures, found)).toEqual([
      '12 of 20 solved (39–78 %), $0.50 per solved task',
      'no difference shown to claude:opus, which costs 3.0 times as much',
    ]);
  });

  test('is the best one where a cheaper one solves far less, even if no difference is shown', () => {
    const found = of(
      aLab(10, [
        { arm: opus, solves: upTo(8), costUsd: 0.9 },
        { arm: haiku, solves: upTo(4), costUsd: 0.1 },
      ]),
    );
    expect(found.pairs).toMatchObject([{ shown: false }]);
    expect(found.arms.map((one) => one.front)).toEqual([true, true]);
    expect(found.suggestion.arm).toBe('claude:opus');
  });

  test('compares time where no agent says what it costs', () => {
    const lab = aLab(20, [
      { arm: opus, solves: upTo(12), costUsd: null },
      { arm: codex, solves: upTo(12), costUsd: 0 },
    ]);
    const results = lab.results.map((one) => (one.arm === codex ? { ...one, seconds: 30 } : one));
    const found = compare(lab.tasks, results, []);
    expect(found.measure).toBe('seconds');
    expect(found.arms.map(({ arm, front }) => [arm.name, front])).toEqual([
      ['codex', true],
      ['claude:opus', false],
    ]);
    expect(found.suggestion.arm).toBe('codex');
  });
});
