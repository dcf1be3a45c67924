import { expect, test } from 'vitest';
import { commandsOf, dialogueOf } from './typed.ts';

test('a script is cut into commands; those that span lines stay whole', () => {
  const script = 'ralph run   # exit 6 when blocked\n\ncat > a <<E\nb\nE\nfor i in 1 2; do\n  echo $i\ndone\n';
  expect(commandsOf(script, 10)).toEqual([
    { line: 11, command: 'ralph run   # exit 6 when blocked', shown: null, codes: [0, 6] },
    { line: 13, command: 'cat > a <<E\nb\nE', shown: null, codes: [0] },
    { line: 16, command: 'for i in 1 2; do\n  echo $i\ndone', shown: null, codes: [0] },
  ]);
});

test('in a dialogue the lines below a command are its output; with output any exit code is fine', () => {
  expect(dialogueOf('$ ralph status \\\n  --json\n$ ralph run\n…\nends (exit 3)\n', 5)).toEqual([
    { line: 6, command: 'ralph status \\\n  --json', shown: null, codes: [0] },
    { line: 8, command: 'ralph run', shown: '…\nends (exit 3)', codes: null },
  ]);
});

test('output without a command is refused', () => {
  expect(() => dialogueOf('hello\n', 1)).toThrow("line 2: a console block begins with '$ '");
});
