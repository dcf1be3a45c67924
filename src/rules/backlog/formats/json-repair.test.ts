import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import { repairJson } from './json-repair.ts';

test.each([
  ['a trailing comma', '{"a":1,}', '{"a":1}'],
  ['commas too many', '[1,,2]', '[1,2]'],
  ['a missing comma', '[{"a":1}\n{"b":2}]', '[{"a":1},\n{"b":2}]'],
  ['comments', '{"a":1, // one\n/* two */ "b":2}', '{"a":1, \n "b":2}'],
  ['other quotes', `{'a':'it\\'s "so"'}`, `{"a":"it's \\"so\\""}`],
  ['names without quotes', '{a:1}', '{"a":1}'],
  ['words of Python', '{"a": True, "b": None}', '{"a": true, "b": null}'],
  ['a line break in a string', '{"a":"x\r\ny"}', '{"a":"x\\r\\ny"}'],
  ['a missing bracket', '{"a":[{"b":1],"c":2}', '{"a":[{"b":1}],"c":2}'],
  ['an apostrophe in other quotes', `{'a':'it's fine'}`, `{"a":"it's fine"}`],
  ['a stray bracket', '{"a":[1]]}', '{"a":[1]}'],
  ['a stray bracket behind the end', '{"a":1}}', '{"a":1}'],
  ['numbers that are none', '[NaN,-Infinity]', '[null,null]'],
  ['a code fence', '```json\n{"a":1}\n```\n', '{"a":1}'],
  ['a byte order mark', '\uFEFF{"a":1}', '{"a":1}'],
  ['a tail that breaks off in a string', '{"a":[{"id":"x"},{"id":"y","t":"hal', '{"a":[{"id":"x"},{"id":"y"}]}'],
  ['a tail that breaks off before a value', '{"a":[{"id":"x"},{', '{"a":[{"id":"x"}]}'],
])('%s is fixed and told', (_name, broken, fixed) => {
  const repaired = repairJson(broken);
  expect(repaired?.text).toBe(fixed);
  expect(repaired?.repairs.length).toBeGreaterThan(0);
  expect(repaired?.repairs.every((line) => /^line \d+: /.test(line))).toBe(true);
});

test.each([
  ['a merge conflict', '{\n<<<<<<< HEAD\n"a":1\n=======\n"a":2\n>>>>>>> other\n}'],
  ['quotation marks inside a string', '{"a": "he said "hi" twice"}'],
  ['a string that was never closed', '{"a": "x,\n "b": 2}'],
  ['text', 'Here is the plan.'],
  ['more after the end', '{"a":1} {"a":2}'],
  ['nothing', ' '],
])('%s is left to people', (_name, broken) => {
  expect(repairJson(broken)).toBeNull();
});

test('every repair tells its line', () => {
  expect(repairJson('{\n  "a": 1,\n  b: [1, 2,],\n}')?.repairs).toEqual([
    'line 3: quotes were put around b',
    'line 3: a trailing comma was removed',
    'line 3: a trailing comma was removed',
  ]);
});

test('what is fine keeps every byte; what is cut off anywhere is fixed to a part of it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ maxDepth: 3 })),
      fc.constantFrom(undefined, 2),
      fc.nat(),
      (value, space, cut) => {
        const text = JSON.stringify(value, null, space);
        expect(repairJson(text)).toEqual({ text, repairs: [] });
        const repaired = repairJson(text.slice(0, 1 + (cut % text.length)));
        expect(repaired).not.toBeNull();
        expect(text.startsWith(repaired?.text.replace(/[\]}]*$/, '') ?? '?')).toBe(true);
      },
    ),
  );
});

test('nothing makes it throw', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...'{}[]:,"\'\\/*# \n1a-'.split(''), 'true', '"a":', '//')), (parts) => {
      const repaired = repairJson(parts.join(''));
      if (repaired) JSON.parse(repaired.text);
    }),
    { numRuns: runs(2000) },
  );
});
