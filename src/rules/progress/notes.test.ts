import { expect, it } from 'vitest';
import { initialProgress } from './initial.ts';
import { addNotes } from './notes.ts';

const heading = '2026-01-02 US-001 (implement)';

it('leaves a log alone that nothing is said about', () => {
  expect(addNotes('as it is', { heading, notes: [], patterns: [] })).toBe('as it is');
});

it('appends an entry below the last one', () => {
  const log = '# P\n\n---\n\n## old\nentry\n';
  expect(addNotes(log, { heading, notes: ['first\nsecond'], patterns: [] })).toBe(
    `# P\n\n---\n\n## old\nentry\n\n## ${heading}\n\nfirst\nsecond\n`,
  );
});

it('puts patterns above the separator, each once', () => {
  const once = addNotes(initialProgress('p'), { heading, notes: [], patterns: ['use ports'] });
  const twice = addNotes(once, { heading, notes: [], patterns: ['use ports', 'no classes'] });
  expect(twice.match(/^- .*$/gm)).toEqual(['- use ports', '- no classes']);
  expect(twice.indexOf('- no classes')).toBeLessThan(twice.indexOf('\n---\n'));
});

it('quotes lines that look like the own entries of the loop', () => {
  const line = '[2026-01-01T00:00:00.000Z] #1 SUCCESS | accepted';
  expect(addNotes('', { heading, notes: [line], patterns: [] })).toContain(`> ${line}`);
});

it('keeps the line ends of the log', () => {
  const log = addNotes('# P\r\n\r\n---\r\n', { heading, notes: ['a'], patterns: ['b'] });
  expect(log.replaceAll('\r\n', '')).not.toContain('\n');
});
