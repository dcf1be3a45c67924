import { detectProgram } from '../detect.ts';
import { endpoints, membersOf } from '../needs.ts';
import type { AgentAdapter, AgentCommand, AgentControl, AgentTask } from '../port.ts';
import { codexTranslator } from './translator.ts';

const INSTALL =
  'npm install -g @openai/codex, then run `codex login` once or export CODEX_API_KEY; or name the program in codex.command';

/** Codex CLI in its non-interactive mode: one `codex exec --json` per task, whose events are read. */
export const codex: AgentAdapter = {
  name: 'codex',
  capabilities: { hooks: false, tools: true, cost: false, tokens: true, limits: true, budget: false },
  // Named one by one: the client sets many CODEX_* variables for its own children, which must not reach an agent when
  // ralph itself was started from a Codex session.
  environment: ['CODEX_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'CODEX_CA_CERTIFICATE', 'OPENAI_*'],
  inside: {
    // The API, the service behind a login with an account, and where that login is fetched and renewed.
    hosts: (env) => ['api.openai.com', 'chatgpt.com', 'auth.openai.com', ...endpoints(env, 'OPENAI_BASE_URL')],
    // Neither `config.toml`, which a run ignores anyway, nor `auth.json`, which is the login.
    config: {
      folder: '.codex',
      variable: 'CODEX_HOME',
      copied: ['AGENTS.md', 'AGENTS.override.md', 'prompts', 'skills'],
    },
    logins: [
      {
        path: '.codex/auth.json',
        login: membersOf('auth_mode', 'OPENAI_API_KEY', 'tokens', 'last_refresh'),
        renewed: true,
      },
    ],
    seeds: {},
  },
  program: ({ codex: { command } }) => command,
  detect: (config) => detectProgram(config.codex.command, INSTALL),
  command: async (task) => codexCommand(task),
  translator: (task) => codexTranslator(task.model),
};

/**
 * The command line of one task; the prompt comes on standard input.
 *
 * Kept out: the user's `config.toml` (its MCP servers, profiles, hooks and providers), the project's (the client reads
 * it only in trusted projects, and trust is recorded in the user's), `.rules` files; no session file is left behind.
 * Kept: the login in CODEX_HOME, skills, and the AGENTS.md files of the user and the project. A user who needs another
 * provider names it with `-c` in `codex.args`.
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

/** The run's tools as an MCP server, in TOML; the token stays in the environment: process listings do not show it. */
function toolServer({ url }: AgentControl, timeoutMs: number): string {
  const settings = [
    `url=${JSON.stringify(`${url}/mcp`)}`,
    'bearer_token_env_var="RALPH_CONTROL_TOKEN"',
    // `complete_story` runs the checks before it answers.
    `tool_timeout_sec=${Math.ceil(timeoutMs / 1000)}`,
  ];
  return `mcp_servers.ralph={${settings.join(',')}}`;
}
