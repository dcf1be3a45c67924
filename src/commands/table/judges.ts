import { type CommandSpec, json, place, projectDir, userSettings } from './spec.ts';

/** Hooks, guard and verdicts outside a run; tools; the version. */
export const judges: readonly CommandSpec[] = [
  {
    name: 'hooks status',
    summary: 'where the hooks are installed, and what keeps them from working',
    flags: [projectDir, json],
    examples: [['ralph hooks', 'project and home settings; exit 2 when an entry disables a file']],
    load: async () => (await import('../hooks.ts')).hooksStatus,
  },
  {
    name: 'hooks install',
    summary: 'guard and context monitor in every session of Claude Code here',
    flags: [userSettings, projectDir, json],
    examples: [['ralph hooks install', 'adds entries to .claude/settings.local.json, keeps a backup']],
    changesState: true,
    load: async () => (await import('../hooks.ts')).installHooks,
  },
  {
    name: 'hooks uninstall',
    summary: 'take the hooks out again',
    flags: [userSettings, projectDir, json],
    examples: [['ralph hooks uninstall', 'leaves other hooks as they are']],
    changesState: true,
    load: async () => (await import('../hooks.ts')).uninstallHooks,
  },
  {
    name: 'hooks run',
    summary: 'answer one hook call from standard input',
    args: [{ name: '<event>', meaning: 'e.g. PreToolUse' }],
    flags: [{ flags: '--legacy', meaning: 'older field names and answers' }],
    examples: [['ralph hooks run PreToolUse < call.json', 'prints the answer, or nothing to let it pass']],
    load: async () => (await import('../hooks.ts')).runHookCommand,
  },
  {
    name: 'guard explain',
    summary: 'what the shell guard understands of a command, and what it says to it',
    args: [{ name: '<command>', meaning: 'one argument: quote it' }],
    flags: [{ flags: '--interactive', meaning: 'as beside a person, outside of a run' }, ...place, json],
    examples: [
      ["ralph guard explain 'rm -rf /'", 'blocked: by which rule, why, and what to do instead'],
      ['ralph guard explain \'sudo sh -c "rm -rf build"\'', 'also what it looks through'],
    ],
    load: async () => (await import('../guard.ts')).explainGuard,
  },
  {
    name: 'guard test',
    summary: 'how well the guard fits a file of labelled commands',
    args: [
      { name: '<file>', meaning: 'one JSON object per line: cmd, label (block, allow or either)', values: 'file' },
    ],
    flags: [json],
    examples: [['ralph guard test commands.jsonl', 'recall, false positives and every miss']],
    load: async () => (await import('../guard.ts')).testGuard,
  },
  {
    name: 'verdict explain',
    summary: 'was this a test run, and how did it end: what the output says',
    args: [{ name: '[file]', meaning: 'the output; - or nothing reads standard input', values: 'file' }],
    flags: [
      { flags: '--command <command>', meaning: 'the command that printed it' },
      { flags: '--exit <code>', meaning: 'its exit code' },
      json,
    ],
    examples: [['ralph verdict explain --exit 1 output.txt', 'the line that decides']],
    load: async () => (await import('../verdict.ts')).explainVerdict,
  },
  {
    name: 'verdict test',
    summary: 'how well the verdicts fit a file of labelled outputs',
    args: [
      {
        name: '<file>',
        meaning: 'one JSON object per line: command, stdout, stderr, exit_code, label',
        values: 'file',
      },
    ],
    flags: [json],
    examples: [['ralph verdict test outputs.jsonl', 'confusion matrix, precision, recall and every miss']],
    load: async () => (await import('../verdict.ts')).testVerdicts,
  },
  {
    name: 'mcp',
    summary: 'the story tools as a stdio MCP server',
    flags: [...place],
    examples: [['ralph mcp', 'for an MCP client to start: inside a run its tools, elsewhere what the files say']],
    load: async () => (await import('../mcp.ts')).mcp,
  },
  {
    name: 'version',
    summary: 'versions of ralph, Node and the platform',
    flags: [json],
    examples: [['ralph version', 'for bug reports; `ralph --version` prints the number alone']],
    load: async () => (await import('../version.ts')).printVersion,
  },
];
