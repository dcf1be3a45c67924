import type { AgentCommand, AgentTask } from '../port.ts';

/** A name that no server and no extension has: an empty list would mean "all of them". */
const NONE = 'none';

/**
 * The command line of one task. Extensions and MCP servers of the user and the project are kept out; their other
 * settings (hooks, the context file's name) apply, for the client has no switch against them.
 */
export function geminiCommand(task: AgentTask): AgentCommand {
  return {
    file: task.config.gemini.command,
    args: [
      ...['--output-format', 'stream-json'],
      ...['--approval-mode', 'yolo', '--skip-trust'],
      ...['--extensions', NONE, '--allowed-mcp-server-names', NONE],
      ...(task.model ? ['--model', task.model] : []),
      ...task.config.gemini.args,
    ],
    cwd: task.cwd,
    env: { ...task.env },
    stdin: task.prompt,
  };
}
