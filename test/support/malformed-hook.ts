import fc from 'fast-check';

const NAMES = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SessionEnd',
  'constructor',
  '__proto__',
];
const TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Grep', 'toString', 'mcp__x__y'];
const SHELL = [
  'rm -rf /',
  "echo 'x",
  '$(',
  '`',
  '<<EOF',
  '|',
  '&&',
  '\0',
  '(((((',
  '${a:-',
  'npm test',
  '\\',
  '\ud800',
];
const PATHS = [
  '',
  '.',
  '..',
  '/',
  '~',
  '~/x',
  '/project/a.ts',
  '\0',
  '../'.repeat(50),
  'a'.repeat(5000),
  '/proc/self/environ',
];

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(null, true, -1, 1e308, '', [], {}, '\u0000', '\ud800'),
);
const shell = fc
  .array(fc.oneof(fc.constantFrom(...SHELL), fc.string({ maxLength: 6 })), { maxLength: 6 })
  .map((parts) => parts.join(' '));
const path = fc.oneof(fc.constantFrom(...PATHS), fc.string({ unit: 'binary', maxLength: 20 }));

/** Mostly the shape of a hook call, with anything in any field; now and then no such shape at all. */
export const malformedPayload = fc.oneof(
  { weight: 1, arbitrary: odd },
  {
    weight: 9,
    arbitrary: fc.record(
      {
        hook_event_name: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: odd }),
        session_id: fc.oneof(fc.constantFrom('s1', '"', '__proto__'), odd),
        transcript_path: fc.oneof(fc.constant('/t/s1.jsonl'), path, odd),
        cwd: fc.oneof(fc.constant('/project'), path, odd),
        tool_name: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...TOOLS) }, { weight: 1, arbitrary: odd }),
        tool_input: fc.oneof(
          fc.record(
            { command: fc.oneof(shell, odd), file_path: fc.oneof(path, odd), notebook_path: path, path },
            { requiredKeys: [] },
          ),
          odd,
        ),
        tool_response: fc.oneof(fc.record({ stdout: odd, stderr: odd, interrupted: odd }, { requiredKeys: [] }), odd),
        tool_output: odd,
        error: fc.oneof(
          fc.string().map((text) => `Exit code 1\n${text}`),
          odd,
        ),
        prompt: odd,
        source: odd,
        reason: odd,
        stop_reason: odd,
        agent_id: odd,
      },
      { requiredKeys: [] },
    ),
  },
);
