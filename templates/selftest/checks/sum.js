// Whether US-001 is done in the project that the argument names (default: the current folder).
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { sum } = await import(pathToFileURL(resolve(process.argv[2] ?? '.', 'src/sum.js')));
assert.equal(sum([]), 0);
assert.equal(sum([250, 399]), 649);
