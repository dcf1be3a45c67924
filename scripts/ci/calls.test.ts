import { expect, test } from 'vitest';
import type { CommandSpec } from '../../src/commands/table.ts';
import { callsIn, wrongCall } from './calls.ts';

const spec = (name: string, more: Partial<CommandSpec> = {}): CommandSpec => ({
  name,
  summary: '',
  examples: [],
  load: async () => async () => 0,
  ...more,
});
const specs = [
  spec('run', {
    args: [{ name: '[count]', meaning: '' }],
    flags: [
      { flags: '--story <id>', meaning: '' },
      { flags: '--sandbox [backend]', meaning: '' },
    ],
  }),
  spec('stories list', { flags: [{ flags: '--json', meaning: '' }] }),
  spec('stories show', { args: [{ name: '<id>', meaning: '' }] }),
];
const groups = [{ name: 'stories', default: 'list' }];
const wrong = (text: string) => callsIn(text).flatMap((call) => wrongCall(call, specs, groups) ?? []);

test('calls are found in shell blocks, behind a prompt sign, in pipes, and in inline code', () => {
  const page = [
    'Try `ralph run 3`, or `npm test`.',
    '```sh',
    'cd shop && ralph run --story US-001 | tail   # ralph speaks',
    '```',
    '```console',
    '$ ralph stories',
    'ralph is output here',
    '```',
    '```text',
    'ralph rum',
    '```',
  ].join('\n');
  expect(callsIn(page)).toEqual([
    { words: ['run', '--story', 'US-001'], isTyped: true },
    { words: ['stories'], isTyped: true },
    { words: ['run', '3'], isTyped: false },
  ]);
});

test.each([
  '`ralph run`',
  '`ralph run 3 --sandbox=bwrap`',
  '`ralph stories --json`',
  '`ralph stories show`',
  '`ralph run --story ID …`',
  '`ralph --version`',
  '`ralph run --help`',
])('%s is fine', (text) => {
  expect(wrong(text)).toEqual([]);
});

test.each([
  ['`ralph rum`', "ralph rum: unknown command 'rum'"],
  ['`ralph run --stroy X`', "ralph run --stroy X: unknown option '--stroy'"],
  ['`ralph run 1 2`', 'too many arguments'],
  ['`ralph run --story`', 'argument missing'],
  ['`ralph stories shwo US-001`', 'ralph stories shwo US-001: stories has no such command'],
  ['```sh\nralph stories show\n```', "missing required argument 'id'"],
])('%s is not', (text, message) => {
  expect(wrong(text)).toEqual([expect.stringContaining(message)]);
});
