import { UnavailableError } from '../../../contracts/errors.ts';
import type { AgentCommand, AgentTask } from '../port.ts';
import { bashSandboxSettings } from './bash-sandbox.ts';
import { hookSettings, toolServers, withoutServer } from './inside.ts';
import { permissionMode, rootRefusal, sandboxVariable } from './permissions.ts';

/**
 * What Claude Code sets for its own children. When ralph itself was started from inside a session these would make
 * the agent take itself for a part of that session.
 */
const OUTER_SESSION = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_EFFORT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PID',
  'CLAUDE_PLUGIN_DATA',
  'CLAUDE_PLUGIN_ROOT',
  'CLAUDE_PROJECT_DIR',
];

/**
 * The command line of one task. Throws UnavailableError where the client would refuse to start (bypass as root).
 *
 * Isolated both ways: no settings file and no MCP server of the user or the project applies, and nothing of ours is
 * written to them. Lasting memory stays: the work tree is an "additional directory" whose CLAUDE.md is read.
 */
export function claudeCommand(task: AgentTask): AgentCommand {
  const refusal = rootRefusal(task.config, task.env, task.isolation);
  if (refusal) throw new UnavailableError(refusal);
  return {
    file: task.config.claude.command,
    args: claudeArguments(task),
    cwd: task.cwd,
    env: claudeEnvironment(task),
    stdin: task.prompt,
  };
}

function claudeArguments(task: AgentTask): string[] {
  const { control, config } = task;
  // Under a permission mode that asks, the run's own tools must be on the list.
  const asksFirst = permissionMode(config) !== 'bypassPermissions';
  const allowedTools = [...config.claude.allowedTools, ...(control && asksFirst ? [TOOLS_OF_THE_RUN] : [])];
  const settings = { ...(control ? hookSettings(control) : {}), ...bashSandboxSettings(task) };
  return [
    '-p',
    // stream-json is refused without --verbose
    ...['--output-format', 'stream-json', '--verbose'],
    ...['--setting-sources', ''],
    ...(Object.keys(settings).length > 0 ? ['--settings', JSON.stringify(settings)] : []),
    '--strict-mcp-config',
    ...(control ? ['--mcp-config', toolServers(control)] : []),
    ...['--permission-mode', permissionMode(task.config)],
    ...(task.model ? ['--model', task.model] : []),
    ...(task.budgetUsd === null ? [] : ['--max-budget-usd', task.budgetUsd.toFixed(4)]),
    // These two take any number of values, so they stand last.
    ...(allowedTools.length > 0 ? ['--allowedTools', ...allowedTools] : []),
    ...['--add-dir', task.cwd],
  ];
}

/** Every tool of the MCP server `ralph`, in the client's rules. */
const TOOLS_OF_THE_RUN = 'mcp__ralph';

function claudeEnvironment(task: AgentTask): Record<string, string> {
  const given = Object.entries(withoutServer(task.env, task.control));
  const inherited = Object.fromEntries(given.filter(([name]) => !OUTER_SESSION.includes(name)));
  return {
    ...inherited,
    ...sandboxVariable(task.isolation),
    CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
    // The client's own ten retries take three minutes; the loop has its own, which keep account.
    CLAUDE_CODE_MAX_RETRIES: String(task.config.claude.maxRetries),
    // Work moved to the background would outlive the turn that claims to have finished it.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_TMPDIR: task.tempDir,
    // A client that replaces itself in the middle of a night's run is not the one that was tested in the evening.
    DISABLE_AUTOUPDATER: '1',
    // `complete_story` runs the checks before it answers.
    MCP_TOOL_TIMEOUT: String(task.config.timeoutMs),
    // The loop's own limit of refused stops is the one that counts, and says so.
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: String(task.config.hooks.stopRefusals + 1),
  };
}
