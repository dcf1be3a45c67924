import { expect, test } from 'vitest';
import { parseSandboxFlag } from './sandbox-flag.ts';

test.each([
  ['nothing', undefined, undefined],
  ['--sandbox', true, { required: true }],
  ['--sandbox=bwrap', 'bwrap', { backend: 'bwrap', required: true }],
  ['--sandbox=auto', 'auto', { backend: 'auto', required: true }],
  ['--no-sandbox', false, { backend: 'none', required: false }],
])('%s', (_, sandbox, settings) => {
  expect(parseSandboxFlag({ sandbox })).toEqual(settings);
});

test('a backend that there is not is refused, with the nearest one', () => {
  expect(() => parseSandboxFlag({ sandbox: 'contaner' })).toThrow(
    "--sandbox does not take 'contaner'; accepted: auto, sbx, container, bwrap, srt (did you mean container?)",
  );
});

test('a number of iterations that was taken for the backend is told where it goes', () => {
  expect(() => parseSandboxFlag({ sandbox: '20' })).toThrow(/the number of iterations goes before it/);
});
