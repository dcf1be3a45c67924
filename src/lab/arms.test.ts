import { expect, test } from 'vitest';
import type { LabResult, LabTask } from '../rules/lab/index.ts';
import { armsOf, attemptsLeft, chosenTasks } from './arms.ts';

const tasks = ['aa11', 'aa22', '3bcd'].map((id) => ({ id }) as LabTask);
const two = armsOf(['claude:opus', 'codex'], ['default'], [true]);

test('an arm is named by what was typed', () => {
  const arms = armsOf(['claude:opus', 'codex'], ['default', 'mine.md'], [true, false]);
  expect(arms.map(({ name }) => name)).toEqual([
    ...['claude:opus', 'claude:opus · no review', 'claude:opus · mine.md', 'claude:opus · mine.md · no review'],
    ...['codex', 'codex · no review', 'codex · mine.md', 'codex · mine.md · no review'],
  ]);
  expect(arms[3]).toMatchObject({ agent: 'claude', model: 'opus', prompt: 'mine.md', review: false });
  expect(armsOf(['opencode:zai/glm:5'], ['default'], [true])[0]).toMatchObject({
    agent: 'opencode',
    model: 'zai/glm:5',
  });
  expect(() => armsOf([':opus'], ['default'], [true])).toThrow("--agents does not take ':opus'");
});

test('arms take turns task by task, and none is always the first', () => {
  const order = attemptsLeft(tasks, two, 2, []).map(({ task, arm, repeat }) => `${repeat} ${task.id} ${arm.agent}`);
  expect(order).toEqual([
    ...['1 aa11 claude', '1 aa11 codex', '1 aa22 codex', '1 aa22 claude', '1 3bcd claude', '1 3bcd codex'],
    ...['2 aa11 codex', '2 aa11 claude', '2 aa22 claude', '2 aa22 codex', '2 3bcd codex', '2 3bcd claude'],
  ]);
});

test('what has a result is not tried again, unless that was an error', () => {
  const done = (outcome: string) => ({ task: 'aa11', arm: two[0], repeat: 1, outcome }) as LabResult;
  const left = (results: readonly LabResult[]) =>
    attemptsLeft(tasks.slice(0, 1), two, 1, results).map(({ arm }) => arm.name);
  expect(left([done('unsolved')])).toEqual(['codex']);
  expect(left([done('error')])).toEqual(['claude:opus', 'codex']);
  expect(left([done('error'), done('solved')])).toEqual(['codex']);
});

test('tasks are chosen by number or by the beginning of their ids', () => {
  const ids = (asked?: string) => chosenTasks(tasks, asked).map(({ id }) => id);
  expect([ids(), ids('2'), ids('3b,aa2')]).toEqual([
    ['aa11', 'aa22', '3bcd'],
    ['aa11', 'aa22'],
    ['3bcd', 'aa22'],
  ]);
  expect(() => ids('aa')).toThrow("more than one task begins with 'aa'");
  expect(() => ids('ff')).toThrow("no task begins with 'ff'");
});
