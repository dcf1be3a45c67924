const lines = (...objects: readonly object[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join('');

/** What people hand to the commands that judge: calls, commands and outputs. */
export const SAMPLES: Readonly<Record<string, string>> = {
  'call.json': lines({
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'git push --force origin main' },
  }),
  'commands.jsonl': lines(
    { cmd: 'rm -rf /', label: 'block' },
    { cmd: 'npm test', label: 'allow' },
    { cmd: './scripts/wipe-everything.sh', label: 'block' },
    { cmd: 'rm -rf build', label: 'either' },
  ),
  'out.txt': [
    ' ❯ src/cart.test.js (3 tests | 1 failed) 12ms',
    '   × adds an item twice',
    ' Tests  1 failed | 41 passed (42)',
    '',
  ].join('\n'),
  'odd.txt': 'all is well\n',
  'outputs.jsonl': lines(
    { command: 'node --test', stdout: '# tests 2\n# pass 2\n# fail 0\n', exit_code: 0, label: 'pass' },
    { command: 'npx vitest run', stdout: ' Tests  1 failed | 41 passed (42)\n', exit_code: 1, label: 'fail' },
    { command: 'ls', stdout: 'src\n', exit_code: 0, label: 'not-a-test' },
    { command: 'npm run checks | tail -1', stdout: 'see above\n', exit_code: 0, label: 'fail' },
  ),
};
