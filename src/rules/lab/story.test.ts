import { expect, test } from 'vitest';
import { storyOf } from './index.ts';

const patch = `diff --git a/src/slug.js b/src/slug.js
new file mode 100644
--- /dev/null
+++ b/src/slug.js
@@ -0,0 +1,4 @@
+export function slugify(text) { return foldAccents(text); }
+function foldAccents(text) { return text; }
+const table = {};
diff --git a/src/fold-table.js b/src/fold-table.js
new file mode 100644
--- /dev/null
+++ b/src/fold-table.js
@@ -0,0 +1 @@
+export const accents = {};
diff --git a/src/title.js b/src/title.js
--- a/src/title.js
+++ b/src/title.js
@@ -1,2 +1,2 @@
-export function titleCase(text) {}
+export function titleCase(text) { return slugify(text); }
diff --git a/test/slug.test.js b/test/slug.test.js
new file mode 100644
--- /dev/null
+++ b/test/slug.test.js
@@ -0,0 +1,2 @@
+import { slugify } from '../src/slug.js';
+test('x', () => slugify('a'));
`;
const told = (subject: string, body = '', trailers: readonly (readonly [string, string])[] = []) =>
  storyOf({ subject, body, trailers, patch, tests: ['test/slug.test.js'] });

test('names that hidden tests use are given, others of the solution are left out', () => {
  const story = told(
    'feat: add slugify with foldAccents() (#12)',
    'Uses `table` and src/fold-table.js (fold-table.js), as a table does. See titleCase.',
  );
  expect(story.title).toBe('feat: add slugify with …');
  expect(story.description).toBe('Uses … and … (…), as a table does. See titleCase.');
  expect(story.acceptanceCriteria[1]).toBe('Those tests use these names: `slugify`, `src/slug.js`');
});

test('trailers and numbers of issues are left out', () => {
  const body =
    'Why it is needed, see org/repo#3.\n\nFixes #4\nCloses: https://example.org/5\n\nReviewed-by: A <a@example.org>\nNote: kept\nRalph-Story: US-1\n';
  expect(told('Fix it', body, [['Ralph-Story', 'US-1']]).description).toBe('Why it is needed, see.\n\nNote: kept');
});

test('a commit without words has a title', () => {
  expect(told('(#7)')).toMatchObject({ title: 'Untitled change', description: '' });
});
