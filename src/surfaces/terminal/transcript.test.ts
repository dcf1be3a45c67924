import { expect, test } from 'vitest';
import { plain } from './paint.ts';
import { renderTranscript } from './transcript.ts';

const line = (type: string, content: unknown) => JSON.stringify({ type, message: { content } });

function transcript(lines: readonly string[], { columns = 80, most = 3 } = {}): readonly string[] {
  return renderTranscript(lines.join('\n'), [], { paint: plain, columns, most });
}

test('calls stand below what the agent said, their results below the calls', () => {
  const lines = [
    line('assistant', [{ type: 'text', text: 'I test.\nOnce.' }]),
    line('assistant', [{ type: 'tool_use', name: 'Write', input: { file_path: 'a.js', content: 'one\ntwo' } }]),
    line('user', [{ type: 'tool_result', content: [{ type: 'text', text: 'written' }] }]),
    line('user', [{ type: 'tool_result', is_error: true, content: 'no such file' }]),
    line('user', 'the prompt'),
    'no JSON',
  ];
  expect(transcript(lines)).toEqual([
    '',
    'I test.',
    'Once.',
    '  Write a.js',
    '    content:',
    '    one',
    '    two',
    '    written',
    '    ✗ no such file',
  ]);
});

test('long results are cut, and what is left is counted; what the agent said is whole', () => {
  const long = Array.from({ length: 9 }, (_, i) => `${i} ${'x'.repeat(30)}`).join('\n');
  const got = transcript([line('user', [{ type: 'tool_result', content: long }])], { columns: 20 });
  expect(got).toHaveLength(4);
  expect(got[0]).toBe('    0 xxxxxxxxxxxxx…');
  expect(got[3]).toBe('    … 6 more lines');
  expect(transcript([line('assistant', [{ type: 'text', text: long }])])).toHaveLength(10);
  expect(transcript([line('user', [{ type: 'tool_result', content: long }])], { most: Infinity })).toHaveLength(9);
});

test('nothing in an output can move the cursor', () => {
  const nasty = '\u001b[2Jevil\rover';
  const block = { type: 'tool_use', name: nasty, input: { [nasty]: nasty, other: [nasty] } };
  const lines = [
    line('assistant', [{ type: 'text', text: nasty }, block]),
    line('user', [{ type: 'tool_result', content: nasty }]),
  ];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  expect(transcript(lines).join('')).not.toMatch(/[\u0000-\u001f]/);
});
