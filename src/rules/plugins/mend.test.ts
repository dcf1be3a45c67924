import { expect, test } from 'vitest';
import { mendFor } from './mend.ts';

test.each([
  ["Error: Cannot find package 'lodash' imported from /project/p.mjs", 'install that package in the project'],
  ["Error: Cannot find module '/project/lib' imported from /project/p.mjs", 'ending included'],
  ['SyntaxError: Cannot use import statement outside a module', 'name the file .mjs'],
  ["SyntaxError: Unexpected token 'export'", 'name the file .mjs'],
  ['ReferenceError: require is not defined in ES module scope', 'name the file .cjs'],
  ['TypeError: Unknown file extension ".ts" for /project/p.ts', 'no TypeScript'],
  ['TypeError: its default export is no plugin: an object, or a function that makes one', 'export default {'],
  ['TypeError: it needs version 99 of the plugin API; this ralph has 1', 'update ralph'],
  ['it took longer than 10 seconds', 'do less at the top'],
  ['Error: options.at is a time such as "07:30", or a date', 'mend ./p.mjs or its options'],
])('%s has a way out', (message, mend) => {
  expect(mendFor('./p.mjs', message)).toContain(mend);
});
