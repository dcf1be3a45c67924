import { UnavailableError } from '../../../contracts/errors.ts';
import type { AgentCommand, AgentTask } from '../port.ts';
import { permissionMode, rootRefusal } from './permissions.ts';

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
  const refusal = rootRefusal(task.config, task.env);
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
  const { allowedTools } = task.config.claude;
  return [
    '-p',
    // stream-json is refused without --verbose
    ...['--output-format', 'stream-json', '--verbose'],
    ...['--setting-sources', ''],
    '--strict-mcp-config',
    ...['--permission-mode', permissionMode(task.config)],
    ...(task.model ? ['--model', task.model] : []),
    // These two take any number of values, so they stand last.
    ...(allowedTools.length > 0 ? ['--allowedTools', ...allowedTools] : []),
    ...['--add-dir', task.cwd],
  ];
}

function claudeEnvironment(task: AgentTask): Record<string, string> {
  const inherited = Object.fromEntries(Object.entries(task.env).filter(([name]) => !OUTER_SESSION.includes(name)));
  return {
    ...inherited,
    CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
    // The client's own ten retries take three minutes; the loop has its own, which keep account.
    CLAUDE_CODE_MAX_RETRIES: String(task.config.claude.maxRetries),
    // Work moved to the background would outlive the turn that claims to have finished it.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_TMPDIR: task.tempDir,
    // A client that replaces itself in the middle of a night's run is not the one that was tested in the evening.
    DISABLE_AUTOUPDATER: '1',
  };
}
