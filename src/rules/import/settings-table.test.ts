import { expect, test } from 'vitest';
import { convertSetting } from './settings-table.ts';

test.each<[unknown, boolean | null]>([
  [true, true],
  [' Yes ', true],
  [1, true],
  ['off', false],
  [0, false],
  ['perhaps', null],
  [null, null],
  [{ toString: '' }, null],
])('%j as a flag is %s', (value, flag) => {
  expect(convertSetting('flag', value)).toBe(flag);
});
