import { expect, test } from 'vitest';
import { localImports } from './local-imports.ts';

test.each([
  [`import { a } from './lib/a.js';`, ['p/lib/a.js']],
  [`import {\n  a,\n} from "../shared/a.js";`, ['shared/a.js']],
  [`export * from './b.mjs'; import './c.mjs';`, ['p/b.mjs', 'p/c.mjs']],
  [`const d = require('./d'); await import('./e.js?fresh');`, ['p/d', 'p/e.js']],
  [`new URL('./data.json', import.meta.url)`, ['p/data.json']],
  [`import x from 'node:fs'; import y from 'package';`, []],
  [`import out from '../../elsewhere.js';`, []],
  ['const path = "./no-import.js";', []],
])('%j', (text, found) => {
  expect(localImports('p/plugin.js', text)).toEqual(found);
});
