import { expect, test } from 'vitest';
import { isAsShown } from './masks.ts';

const HOME = '/tmp/pages-x/home';

test.each([
  ['run 20261122-065536-90ul waits 18s, until 07:07:48\n', 'run 20250101-000000-abcd waits 1m 2s, until 09:00:00'],
  ['a  b\nc\n', 'a   b\nc'],
  [`wrote ${HOME}/shop/x\n`, 'wrote /home/dev/shop/x'],
  ['first\nsecond\nthird\n', '…\nthird'],
  ['first\nsecond\n', 'first\n…'],
  ['token=abc def\n', 'token=… def'],
  ['\u001b[1mbold\u001b[0m\n\n', 'bold'],
])('%j is what is shown as %j', (printed, shown) => {
  expect(isAsShown(printed, shown, HOME)).toBe(true);
});

test.each([
  ['3 stories, 1 done\n', '3 stories, 2 done'],
  ['first\nsecond\n', 'first'],
  ['US-001 is approved\n', 'US-002 is approved'],
])('%j is not what is shown as %j', (printed, shown) => {
  expect(isAsShown(printed, shown, HOME)).toBe(false);
});
