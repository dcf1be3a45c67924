import { expect, test } from 'vitest';
import { coloured } from './paint.fixture.ts';
import { paintFor, plain } from './paint.ts';

test.each([
  ['a terminal', { isTTY: true, env: {} }, coloured],
  ['a pipe', { isTTY: false, env: {} }, plain],
  ['a terminal with NO_COLOR', { isTTY: true, env: { NO_COLOR: '1' } }, plain],
  ['a terminal with an empty NO_COLOR', { isTTY: true, env: { NO_COLOR: '' } }, coloured],
  ['a pipe with FORCE_COLOR', { isTTY: false, env: { FORCE_COLOR: '1' } }, coloured],
  ['FORCE_COLOR against NO_COLOR', { isTTY: false, env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, coloured],
  ['FORCE_COLOR=0', { isTTY: true, env: { FORCE_COLOR: '0' } }, plain],
  ['a dumb terminal', { isTTY: true, env: { TERM: 'dumb' } }, plain],
])('%s gets the right paint', (_name, io, paint) => {
  expect(paintFor(io)).toBe(paint);
});

test('colours surround the text and nothing else', () => {
  expect(coloured('good', 'ok')).toBe('\u001b[32mok\u001b[39m');
  expect(coloured('good', '')).toBe('');
});
