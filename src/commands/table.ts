import { lab } from './table/lab.ts';
import { project } from './table/project.ts';
import { runs } from './table/runs.ts';
import { arg, type CommandSpec, flag, type GroupSpec, json, place, projectDir } from './table/spec.ts';
import { plansAndStreams } from './table/work.ts';

export type { CommandSpec } from './table/spec.ts';

export const groups: readonly GroupSpec[] = [
  { name: 'stories', summary: 'list, show and change stories', default: 'list' },
  { name: 'stream', summary: 'work on several PRDs at once, each in its own worktree', default: 'status' },
  { name: 'pr', summary: 'work on the review of a pull request', default: 'sync' },
  { name: 'fleet', summary: 'run streams on several machines', default: 'status' },
  { name: 'lab', summary: 'find out which agent finishes work in this repository', default: 'report' },
  { name: 'circuit', summary: 'show or close the circuit breaker', default: 'status' },
  { name: 'notify', summary: 'test and resend notifications', default: 'test' },
  { name: 'rescue', summary: 'restore work that was rolled back', default: 'list' },
  { name: 'sandbox', summary: 'test and prepare isolation for agents', default: 'status' },
  { name: 'hooks', summary: 'manage hooks for interactive agent sessions', default: 'status' },
  { name: 'guard', summary: 'explain and test the shell guard', default: 'explain' },
  { name: 'verdict', summary: 'explain and test how test output is read', default: 'explain' },
  { name: 'config', summary: 'show and change settings', default: 'list' },
];

const userSettings = flag('--user', 'use the settings in the home folder instead of the project');

/** Notifications; hooks, guard and verdicts outside a run; tools. */
const others: readonly CommandSpec[] = [
  {
    name: 'notify test',
    summary: 'send a test notification to every webhook, the desktop and the bell',
    flags: [projectDir, json],
    examples: [['ralph notify test', 'exit 1 if one of them fails']],
    load: async () => (await import('./notify.ts')).testNotices,
  },
  {
    name: 'notify retry',
    summary: 'resend notifications that a webhook did not accept',
    flags: [projectDir, json],
    examples: [['ralph notify retry', 'in order; exit 1 if some are left']],
    load: async () => (await import('./notify.ts')).retryNotices,
  },
  {
    name: 'hooks status',
    summary: 'show where hooks are installed and whether they work',
    flags: [projectDir, json],
    examples: [['ralph hooks', 'project and home settings; exit 2 if an entry disables a file']],
    forAgents: true,
    load: async () => (await import('./hooks.ts')).hooksStatus,
  },
  {
    name: 'hooks install',
    summary: 'install guard and context monitor for Claude Code sessions here',
    flags: [userSettings, projectDir, json],
    examples: [['ralph hooks install', 'adds entries to .claude/settings.local.json and keeps a backup']],
    load: async () => (await import('./hooks.ts')).installHooks,
  },
  {
    name: 'hooks uninstall',
    summary: 'remove the hooks',
    flags: [userSettings, projectDir, json],
    examples: [['ralph hooks uninstall', 'other hooks stay']],
    load: async () => (await import('./hooks.ts')).uninstallHooks,
  },
  {
    name: 'hooks run',
    summary: 'answer one hook call read from standard input',
    args: [arg('<event>', 'e.g. PreToolUse')],
    flags: [flag('--legacy', 'accept older field names and answer in the older form')],
    examples: [['ralph hooks run PreToolUse < call.json', 'prints the answer, or nothing to let it pass']],
    forAgents: true,
    load: async () => (await import('./hooks.ts')).runHookCommand,
  },
  {
    name: 'guard explain',
    summary: 'show how the shell guard reads a command and what it decides',
    args: [arg('<command>', 'one argument: quote it')],
    flags: [flag('--interactive', 'judge as in an interactive session, outside a run'), ...place, json],
    examples: [
      ["ralph guard explain 'rm -rf /'", 'blocked: the rule, the reason and what to do instead'],
      ['ralph guard explain \'sudo sh -c "rm -rf build"\'', 'also shows the commands inside it'],
    ],
    forAgents: true,
    load: async () => (await import('./guard.ts')).explainGuard,
  },
  {
    name: 'guard test',
    summary: 'measure the guard against a file of labelled commands',
    args: [arg('<file>', 'one JSON object per line: cmd, label (block, allow or either)', 'file')],
    flags: [json],
    examples: [['ralph guard test commands.jsonl', 'recall, false positives and every miss']],
    forAgents: true,
    load: async () => (await import('./guard.ts')).testGuard,
  },
  {
    name: 'verdict explain',
    summary: 'tell whether output comes from a test run, and its result',
    args: [arg('[file]', 'file with the output (default: standard input)', 'file')],
    flags: [flag('--command <command>', 'command that printed it'), flag('--exit <code>', 'its exit code'), json],
    examples: [['ralph verdict explain --exit 1 output.txt', 'shows the line that decides']],
    forAgents: true,
    load: async () => (await import('./verdict.ts')).explainVerdict,
  },
  {
    name: 'verdict test',
    summary: 'measure the readers of test output against labelled outputs',
    args: [arg('<file>', 'one JSON object per line: command, stdout, stderr, exit_code, label', 'file')],
    flags: [json],
    examples: [['ralph verdict test outputs.jsonl', 'confusion matrix, precision, recall and every miss']],
    forAgents: true,
    load: async () => (await import('./verdict.ts')).testVerdicts,
  },
  {
    name: 'mcp',
    summary: 'serve the story tools as a stdio MCP server',
    flags: [...place],
    examples: [['ralph mcp', 'started by an MCP client; outside a run it only reads']],
    forAgents: true,
    load: async () => (await import('./mcp.ts')).mcp,
  },
];

/** Every command of `ralph`, in the order of the help. Bodies load when called. */
export const commands: readonly CommandSpec[] = [...runs, ...plansAndStreams, ...project, ...lab, ...others];
