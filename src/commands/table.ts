import { project } from './table/project.ts';
import { runs } from './table/runs.ts';
import { arg, type CommandSpec, flag, type GroupSpec, json, place, projectDir } from './table/spec.ts';
import { plansAndStreams } from './table/work.ts';

export type { CommandSpec } from './table/spec.ts';

export const groups: readonly GroupSpec[] = [
  { name: 'stories', summary: 'the backlog from the shell', default: 'list' },
  { name: 'stream', summary: 'several PRDs at once, each in a worktree of its own', default: 'status' },
  { name: 'fleet', summary: 'streams on many machines', default: 'status' },
  { name: 'circuit', summary: 'the circuit breaker', default: 'status' },
  { name: 'notify', summary: 'who is told of a run that nobody watches', default: 'test' },
  { name: 'rescue', summary: 'get back what a rollback took', default: 'list' },
  { name: 'sandbox', summary: 'where agents run: what isolates here, tried for real', default: 'status' },
  { name: 'hooks', summary: 'hooks for interactive agent sessions', default: 'status' },
  { name: 'guard', summary: 'the shell guard, made inspectable', default: 'explain' },
  { name: 'verdict', summary: 'verdicts on test runs, made inspectable', default: 'explain' },
  { name: 'config', summary: 'the effective configuration and where each value came from', default: 'list' },
];

const userSettings = flag('--user', 'the settings in the home folder instead of the project');

/** Notices to people who do not watch; hooks, guard and verdicts outside a run; tools; the version. */
const others: readonly CommandSpec[] = [
  {
    name: 'notify test',
    summary: 'send a test to every webhook, the desktop and the bell, and show what came of it',
    flags: [projectDir, json],
    examples: [['ralph notify test', 'exit 1 when something of it does not work']],
    changesState: true,
    load: async () => (await import('./notify.ts')).testNotices,
  },
  {
    name: 'notify retry',
    summary: 'send again what webhooks did not take',
    flags: [projectDir, json],
    examples: [['ralph notify retry', 'in order; exit 1 when something is left']],
    changesState: true,
    load: async () => (await import('./notify.ts')).retryNotices,
  },
  {
    name: 'hooks status',
    summary: 'where the hooks are installed, and what keeps them from working',
    flags: [projectDir, json],
    examples: [['ralph hooks', 'project and home settings; exit 2 when an entry disables a file']],
    load: async () => (await import('./hooks.ts')).hooksStatus,
  },
  {
    name: 'hooks install',
    summary: 'guard and context monitor in every session of Claude Code here',
    flags: [userSettings, projectDir, json],
    examples: [['ralph hooks install', 'adds entries to .claude/settings.local.json, keeps a backup']],
    changesState: true,
    load: async () => (await import('./hooks.ts')).installHooks,
  },
  {
    name: 'hooks uninstall',
    summary: 'take the hooks out again',
    flags: [userSettings, projectDir, json],
    examples: [['ralph hooks uninstall', 'leaves other hooks as they are']],
    changesState: true,
    load: async () => (await import('./hooks.ts')).uninstallHooks,
  },
  {
    name: 'hooks run',
    summary: 'answer one hook call from standard input',
    args: [arg('<event>', 'e.g. PreToolUse')],
    flags: [flag('--legacy', 'older field names and answers')],
    examples: [['ralph hooks run PreToolUse < call.json', 'prints the answer, or nothing to let it pass']],
    load: async () => (await import('./hooks.ts')).runHookCommand,
  },
  {
    name: 'guard explain',
    summary: 'what the shell guard understands of a command, and what it says to it',
    args: [arg('<command>', 'one argument: quote it')],
    flags: [flag('--interactive', 'as beside a person, outside of a run'), ...place, json],
    examples: [
      ["ralph guard explain 'rm -rf /'", 'blocked: by which rule, why, and what to do instead'],
      ['ralph guard explain \'sudo sh -c "rm -rf build"\'', 'also what it looks through'],
    ],
    load: async () => (await import('./guard.ts')).explainGuard,
  },
  {
    name: 'guard test',
    summary: 'how well the guard fits a file of labelled commands',
    args: [arg('<file>', 'one JSON object per line: cmd, label (block, allow or either)', 'file')],
    flags: [json],
    examples: [['ralph guard test commands.jsonl', 'recall, false positives and every miss']],
    load: async () => (await import('./guard.ts')).testGuard,
  },
  {
    name: 'verdict explain',
    summary: 'was this a test run, and how did it end: what the output says',
    args: [arg('[file]', 'the output; - or nothing reads standard input', 'file')],
    flags: [flag('--command <command>', 'the command that printed it'), flag('--exit <code>', 'its exit code'), json],
    examples: [['ralph verdict explain --exit 1 output.txt', 'the line that decides']],
    load: async () => (await import('./verdict.ts')).explainVerdict,
  },
  {
    name: 'verdict test',
    summary: 'how well the verdicts fit a file of labelled outputs',
    args: [arg('<file>', 'one JSON object per line: command, stdout, stderr, exit_code, label', 'file')],
    flags: [json],
    examples: [['ralph verdict test outputs.jsonl', 'confusion matrix, precision, recall and every miss']],
    load: async () => (await import('./verdict.ts')).testVerdicts,
  },
  {
    name: 'mcp',
    summary: 'the story tools as a stdio MCP server',
    flags: [...place],
    examples: [['ralph mcp', 'for an MCP client to start: inside a run its tools, elsewhere what the files say']],
    load: async () => (await import('./mcp.ts')).mcp,
  },
  {
    name: 'version',
    summary: 'versions of ralph, Node and the platform',
    flags: [json],
    examples: [['ralph version', 'for bug reports; `ralph --version` prints the number alone']],
    load: async () => (await import('./version.ts')).printVersion,
  },
];

/** Every command of `ralph`, in the order of the help. Bodies load when called. */
export const commands: readonly CommandSpec[] = [...runs, ...plansAndStreams, ...project, ...others];
