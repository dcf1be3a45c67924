import { expect, test } from 'vitest';
import { citedBy, whyNotShown } from './already-done.ts';

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['`src/a.ts:12`', 'src/a.ts'],
  ['./test/a.test.ts::says hello', 'test/a.test.ts'],
  ['test/a.test.ts > says hello', 'test/a.test.ts'],
  ['src/a.ts (the parser)', 'src/a.ts'],
  ['src/a.ts.', 'src/a.ts'],
  ['my file.ts', 'my file.ts'],
])('a piece of evidence names a file: %s', (evidence, path) => {
  expect(citedBy(evidence).paths).toContain(path);
});

test.each(['../secret', '/etc/passwd', 'a/../../b', 'src/a.ts\0x'])(
  'nothing outside of the work tree: %j',
  (evidence) => {
    expect(citedBy(evidence).paths.filter((path) => path !== 'src/a.ts')).toEqual([]);
  },
);

test('a commit is named by at least seven digits', () => {
  expect(citedBy('1a2b3c4 adds the parser').commit).toBe('1a2b3c4');
  expect(citedBy('commit 1a2b3c4d').commit).toBe('1a2b3c4d');
  expect(citedBy('1a2b3c').commit).toBeNull();
  expect(citedBy('defaced.ts').commit).toBe('defaced');
});

test('existing evidence lets a review decide, and nothing lets a run without reviews go on', () => {
  expect(whyNotShown({ evidence: ['a'], missing: [] }, false)).toBeNull();
  expect(whyNotShown({ evidence: ['a'], missing: [] }, true)).toMatch(/without a review/);
});
