import { expect, it } from 'vitest';
import { conflictWith } from './submit.ts';

const KNOWN = [
  { stream: 'PRD-1', state: 'later', branch: 'ralph/prd-1' },
  { stream: 'PRD-2', state: 'done', branch: 'ralph/prd-2' },
] as const;

it.each([
  ['PRD-1', 'ralph/prd-1', null],
  ['PRD-1', 'ralph/other', /works on it on ralph\/prd-1/],
  ['PRD-3', 'ralph/prd-1', /for PRD-1/],
  ['PRD-2', 'ralph/other', null],
  ['PRD-3', 'ralph/prd-2', null],
])('%s on %s: %s', (stream, branch, why) => {
  const found = conflictWith({ stream, branch }, KNOWN);
  if (why === null) expect(found).toBeNull();
  else expect(found).toMatch(why);
});
