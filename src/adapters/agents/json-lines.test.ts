import { describe, expect, it } from 'vitest';
import { callSummary, resultSummary } from './json-lines.ts';

describe('callSummary', () => {
  it('picks what tells most, in one line of bounded length', () => {
    expect(callSummary({ description: 'Runs the tests', command: 'npm\n  test' })).toBe('npm test');
    expect(callSummary({ content: 'long', file_path: '/a/b.ts' })).toBe('/a/b.ts');
    expect(callSummary({ unknown: 1 })).toBe('{"unknown":1}');
    expect(callSummary({ command: 'x'.repeat(5_000) })).toHaveLength(160);
  });
});

describe('resultSummary', () => {
  it('reads text as well as blocks', () => {
    expect(resultSummary('a\nb')).toBe('a b');
    expect(resultSummary([{ type: 'image' }, { type: 'text', text: 'seen' }])).toBe('seen');
    expect(resultSummary(undefined)).toBe('');
  });
});
