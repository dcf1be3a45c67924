import type { AgentCommand, AgentControl, AgentTask } from '../port.ts';

/**
 * The command line of one task; the prompt comes on standard input.
 *
 * Kept out: the user's `config.toml` (its MCP servers, profiles, hooks and providers), the project's (the client reads
 * that of trusted projects only, and trust is written in the user's), `.rules` files; no session file is left behind.
 * Kept: the login in CODEX_HOME, skills, and the AGENTS.md files of the user and the project. Whoever needs a provider
 * of their own names it with `-c` in `codex.args`.
 */
export function codexCommand(task: AgentTask): AgentCommand {
  return {
    file: task.config.codex.command,
    args: [
      ...['exec', '--json', '--color', 'never'],
      ...['--ignore-user-config', '--ignore-rules', '--ephemeral'],
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      ...(task.control ? ['-c', toolServer(task.control, task.config.timeoutMs)] : []),
      ...(task.model ? ['--model', task.model] : []),
      ...task.config.codex.args,
      '-',
    ],
    cwd: task.cwd,
    env: task.env,
    stdin: task.prompt,
  };
}

/** The run's tools as an MCP server, in TOML; the token stays in the environment, where process listings do not show it. */
function toolServer({ url }: AgentControl, timeoutMs: number): string {
  const settings = [
    `url=${JSON.stringify(`${url}/mcp`)}`,
    'bearer_token_env_var="RALPH_CONTROL_TOKEN"',
    // `complete_story` runs the checks before it answers.
    `tool_timeout_sec=${Math.ceil(timeoutMs / 1000)}`,
  ];
  return `mcp_servers.ralph={${settings.join(',')}}`;
}
