import { expect, test } from 'vitest';
import { LONGEST_NOTE } from '../../rules/steering/index.ts';
import { readAction } from './control.ts';

const problemOf = (body: unknown) => {
  const read = readAction(typeof body === 'string' ? body : JSON.stringify(body));
  return 'problem' in read ? read.problem : null;
};

test.each([
  { do: 'pause' },
  { do: 'stop', now: true },
  { do: 'note', text: 'x'.repeat(LONGEST_NOTE) },
  { do: 'answer', question: 'Q1', text: 'say "so"\r\n\tthere', run: 'r1' },
  { do: 'limits', limits: { maxIterations: 3, maxCost: null, storyMaxCost: 0.5 } },
  { do: 'story', story: 'US-1', title: 'Sum', run: 'r1', decision: 'reopen' },
  {
    ...{ do: 'reject', story: 'US-1', title: 'Sum', run: 'r1' },
    changes: [{ text: 'round it' }, { text: 'test it', file: 'src/a.ts', line: 3 }],
  },
])('%.40j is an action', (action) => {
  expect(readAction(JSON.stringify(action))).toEqual({ action });
});

test.each([
  ['{', 'the body is not JSON'],
  ['null', 'an action is an object: {"do": "pause"}'],
  ['[]', 'an action is an object: {"do": "pause"}'],
  ['{}', 'do must be one of pause, resume, reset-circuit, stop, note, limits, answer, story, reject'],
  [{ do: 'destroy' }, 'do must be one of pause, resume, reset-circuit, stop, note, limits, answer, story, reject'],
  [{ do: 'pause', x: 1 }, "there is no field 'x' here"],
  [{ do: 'stop' }, 'now must be true or false'],
  [{ do: 'note' }, 'the note must be a string'],
  [{ do: 'note', text: ' \r\n' }, 'the note is empty'],
  [{ do: 'note', text: 'x'.repeat(LONGEST_NOTE + 1) }, 'the note has 65537 bytes; the maximum is 65536'],
  [
    { do: 'answer', question: 'Q1', text: 'a\u001b', run: 'r1' },
    'the answer contains the control character U+001B at position 2',
  ],
  [{ do: 'answer', question: '', text: 'a', run: 'r1' }, 'question is empty'],
  [{ do: 'limits' }, 'limits must be an object'],
  [{ do: 'limits', limits: { maxIterations: null } }, 'iterations must be a whole number above 0'],
  [{ do: 'limits', limits: { maxTokens: 1.5 } }, 'tokens must be a whole number above 0'],
  [{ do: 'limits', limits: { maxCost: -1 } }, 'cost must be an amount of at least 0'],
  [{ do: 'limits', limits: { maxCost: 1e99 } }, 'cost is too large'],
  [{ do: 'story', story: 'US-1', decision: 'approve', run: 'r1' }, 'title must be a string'],
  [{ do: 'story', story: 'US-1', decision: 'approve', title: 'Sum' }, 'run must be a string'],
  [{ do: 'story', story: 'US-1', title: 'Sum', run: 'r1', decision: 'delete' }, 'decision must be approve or reopen'],
  [{ do: 'reject', story: 'US-1', title: 'Sum', run: 'r1', changes: [] }, 'the rejection asks for no change'],
  [
    { do: 'reject', story: 'US-1', title: 'Sum', run: 'r1', changes: [{ text: 'a\u001b' }] },
    'the rejection contains the control character U+001B at position 2',
  ],
  [
    { do: 'reject', story: 'US-1', title: 'Sum', run: 'r1', changes: [{ text: 'a', from: {} }] },
    "there is no field 'from' here",
  ],
])('%.60j is refused in a sentence', (body, problem) => {
  expect(problemOf(body)).toBe(problem);
});
