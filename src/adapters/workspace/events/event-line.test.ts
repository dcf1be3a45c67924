import { expect, test } from 'vitest';
import { tempTree } from '../temp-tree.fixture.ts';
import { readEvents } from './event-file.ts';

const line = (fields: object) => JSON.stringify({ ts: '2026-01-01T00:00:00.000Z', run: 'r', iteration: 1, ...fields });
/** The event in a line of a run's log; undefined when it is none. */
async function read(text: string) {
  const header = JSON.stringify({ type: 'log', version: 1, run: 'r' });
  const root = await tempTree({ '.ralph/runs/r/events.jsonl': `${header}\n${text}\n` });
  return (await readEvents(root, 'r'))[0];
}
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  { type: 'agent', event: { type: 'text', text: 'hello' } },
  { type: 'agent', event: { type: 'retry', attempt: 1, delayMs: null, reason: 'busy' } },
  { type: 'agent', event: { type: 'of a later version', what: [[1]] } },
  { type: 'of a later version', what: { is: { so: [1] } } },
  { type: 'baseline', checks: [{ command: 'make', ok: true, exitCode: 0, durationMs: 7, timedOut: false, tail: '' }] },
  { type: 'wait-end', why: 'pause', waitedMs: -1 },
])('%j is an event', async (fields) => {
  expect(await read(line(fields))).toMatchObject(fields);
});

test.each([
  { type: 'agent' },
  { type: 'agent', event: null },
  { type: 'agent', event: { type: 'text', text: { html: '' } } },
  { type: 'agent', event: { type: 'usage', usage: null, contextTokens: null } },
  { type: 'commit', commit: 'c', subject: 's', files: -1 },
  { type: 'iteration-end', durationMs: 1, costUsd: 1e308 },
  { type: 'iteration-end', durationMs: 1, costUsd: -1 },
  { type: 'wait', why: 'pause', until: 1e300, text: '' },
  { type: 'check', result: { command: 'c', ok: true, exitCode: 0, durationMs: 1, tests: null }, baselineRed: false },
  { type: 'notice', level: 'info', text: 'x', iteration: 1.5 },
  { type: 'notice', level: 'info', text: 'x', ts: 'yesterday' },
])('%j is none', async (fields) => {
  expect(await read(line(fields))).toBeUndefined();
});

test.each(['', 'null', '7', '[]', '{"ts"', deep(200_000)])('the line %.20j is none', async (text) => {
  expect(await read(text)).toBeUndefined();
});

test('a line that is nested deeper, or is longer, than anybody could show is none', async () => {
  const nested = (levels: number) => line({ type: 'later', x: 0 }).replace(':0}', `:${deep(levels)}}`);
  expect(await read(nested(10))).toBeDefined();
  expect(await read(nested(200_000))).toBeUndefined();
  expect(await read(line({ type: 'later', x: 'x'.repeat(17_000_000) }))).toBeUndefined();
});
