// Whether US-002 is done in the project that the argument names (default: the current folder).
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { greet } = await import(pathToFileURL(resolve(process.argv[2] ?? '.', 'src/greet.js')));
assert.equal(greet('Ada'), 'Hello, Ada!');
assert.equal(greet(''), 'Hello!');
