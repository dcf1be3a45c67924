import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../contracts/index.ts';
import { endWithoutResult, failure, kindOfStatus, limitOfStatus } from './ends.ts';
import { toolCall, toolResult } from './translate.ts';

describe('kindOfStatus', () => {
  it.each([
    [400, 'api'],
    [401, 'auth'],
    [402, 'auth'],
    [403, 'auth'],
    [404, 'model'],
    [408, 'network'],
    [413, 'api'],
    [429, 'limit'],
    [500, 'network'],
    [503, 'network'],
    [529, 'limit'],
  ])('takes %i for %s', (status, kind) => {
    expect(kindOfStatus(status)).toBe(kind);
  });
});

it('limitOfStatus tells a busy provider from a limit of the user', () => {
  expect(limitOfStatus(429).kind).toBe('rate_limit');
  expect(limitOfStatus(529).kind).toBe('overloaded');
});

describe('endWithoutResult', () => {
  it('says how it ended and what was said last', () => {
    const exit = { exitCode: 3, signal: null, stderr: 'first\nlast  \n\n' };
    expect(endWithoutResult(exit)).toEqual({
      kind: 'crash',
      message: 'the agent exited with 3 before it gave a result: last',
    });
    expect(endWithoutResult({ exitCode: null, signal: 'SIGKILL', stderr: '' }).message).toBe(
      'the agent was ended by SIGKILL before it gave a result',
    );
    expect(endWithoutResult({ ...exit, exitCode: 0 }).kind).toBe('empty');
  });

  it('tells a crash with a stack trace by its error', () => {
    const stderr = "Error: EACCES: no access, open 'a.js'\n    at writeFileSync (node:fs:2)\n\nNode.js v20.20.2\n";
    expect(endWithoutResult({ exitCode: 1, signal: null, stderr }).message).toBe(
      "the agent exited with 1 before it gave a result: Error: EACCES: no access, open 'a.js'",
    );
  });

  it('keeps messages short', () => {
    expect(failure('api', 'x'.repeat(10_000)).message).toHaveLength(500);
  });
});

const summaryOf = (event: AgentEvent) => 'summary' in event && event.summary;

it('toolCall picks what tells most, with its lines, of bounded length', () => {
  expect(summaryOf(toolCall('', '', { description: 'Runs the tests', command: 'npm\n  test' }))).toBe('npm\n  test');
  expect(summaryOf(toolCall('', '', { content: 'long', file_path: '/a/b.ts' }))).toBe('/a/b.ts');
  expect(summaryOf(toolCall('', '', { unknown: 1 }))).toBe('{"unknown":1}');
  expect(summaryOf(toolCall('', '', { command: 'x'.repeat(5_000) }))).toHaveLength(4_000);
});

it('toolResult reads text as well as blocks, and keeps the lines', () => {
  expect(summaryOf(toolResult('', true, ' a\n  b\n'))).toBe('a\n  b');
  expect(summaryOf(toolResult('', true, [{ type: 'image' }, { text: 'seen' }, { text: 'too' }]))).toBe('seen\ntoo');
  expect(summaryOf(toolResult('', true, undefined))).toBe('');
});
