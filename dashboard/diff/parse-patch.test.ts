import { expect, test } from 'vitest';
import { parsePatch } from './parse-patch.ts';

const PATCH = `diff --git a/src/one.ts b/src/one.ts
index 1111111..2222222 100644
--- a/src/one.ts
+++ b/src/one.ts
@@ -1,3 +1,3 @@ function one() {
 same
--- a/looks like a head
+++ b/and so does this
 last
\\ No newline at end of file
diff --git a/gone.bin b/gone.bin
deleted file mode 100644
Binary files a/gone.bin and /dev/null differ
`;

test('files are cut apart, and lines numbered on both sides', () => {
  const [one, gone] = parsePatch(PATCH);
  expect(one?.path).toBe('src/one.ts');
  expect(one?.lines.map(({ kind, old, new: fresh }) => [kind, old, fresh])).toEqual([
    ['hunk', null, null],
    ['same', 1, 1],
    ['deleted', 2, null],
    ['added', null, 2],
    ['same', 3, 3],
    ['note', null, null],
  ]);
  expect(gone?.path).toBe('gone.bin');
  expect(gone?.lines.map(({ text }) => text)).toEqual([
    'deleted file mode 100644',
    'Binary files a/gone.bin and /dev/null differ',
  ]);
});

test('a patch that ends in the middle gives what is there', () => {
  expect(parsePatch(PATCH.slice(0, 140))).toHaveLength(1);
  expect(parsePatch('')).toEqual([]);
});
