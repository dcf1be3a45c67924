import { expect, test } from 'vitest';
import { missingPrograms } from './facts.ts';

test.each([
  ['/usr/bin/git\n/usr/local/bin/node\nv22.21.0\n', []],
  ['/usr/local/bin/node\nv20.19.0\n', ['git']],
  ['/usr/bin/git\n', ['node ≥ 20']],
  ['/usr/bin/git\n/usr/bin/node\nv18.19.0\n', ['node ≥ 20']],
  ['', ['git', 'node ≥ 20']],
])('an image that answers %j lacks %j', (output, missing) => {
  expect(missingPrograms(output)).toEqual(missing);
});
