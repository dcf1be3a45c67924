import { detectProgram } from '../detect.ts';
import { endpoints, isSwitchedOn, membersOf } from '../needs.ts';
import type { AgentAdapter, AgentCommand, AgentControl, AgentTask, InsideNeeds } from '../port.ts';
import { copilotTranslator } from './translator.ts';

const INSTALL =
  'npm install -g @github/copilot, then run `copilot login` or export COPILOT_GITHUB_TOKEN; or name the program in copilot.command';

/** What GitHub Copilot CLI needs inside. Its `config.json` holds the login where there is no keychain: never copied. */
const copilotNeeds: InsideNeeds = {
  hosts: (env) => [
    ...(isSwitchedOn(env, 'COPILOT_OFFLINE') ? [] : ofGitHub(env)),
    ...endpoints(env, 'COPILOT_PROVIDER_BASE_URL'),
  ],
  config: {
    folder: '.copilot',
    variable: 'COPILOT_HOME',
    copied: ['copilot-instructions.md', 'instructions', 'agents', 'skills', 'mcp-config.json'],
  },
  // Not `mcp_servers` and `trusted_folders`. Newer versions spell the names in the other way.
  logins: [
    {
      path: '.copilot/config.json',
      login: membersOf(
        ...['copilot_tokens', 'logged_in_users', 'last_logged_in_user'],
        ...['copilotTokens', 'loggedInUsers', 'lastLoggedInUser'],
      ),
    },
  ],
  seeds: {},
};

/** GitHub Copilot CLI in prompt mode: one process per task, whose JSON lines are read. */
export const copilot: AgentAdapter = {
  name: 'copilot',
  capabilities: { hooks: false, tools: true, cost: false, tokens: false, limits: true, budget: false },
  // Not GH_TOKEN and GITHUB_TOKEN, which it would also accept: they give access to more than Copilot, so the user has
  // to name them. And not all of COPILOT_*: a session uses them to identify itself to its children.
  environment: [
    ...['COPILOT_GITHUB_TOKEN', 'COPILOT_HOME', 'COPILOT_MODEL', 'COPILOT_OFFLINE', 'COPILOT_PROVIDER_*'],
    ...['COPILOT_GH_HOST', 'GH_HOST'],
  ],
  inside: copilotNeeds,
  program: ({ copilot: { command } }) => command,
  detect: ({ copilot: { command } }) => detectProgram(command, INSTALL),
  command: async (task) => copilotCommand(task),
  translator: () => copilotTranslator(),
};

/**
 * The command line of one task. The client asks no questions, and the session is not shown on GitHub. The client's
 * built-in MCP servers are kept out; the user's settings and servers apply, because they are stored with the login.
 */
function copilotCommand(task: AgentTask): AgentCommand {
  return {
    file: task.config.copilot.command,
    args: [
      ...['--output-format', 'json', '--no-color'],
      ...['--allow-all-tools', '--no-ask-user'],
      ...['--disable-builtin-mcps', '--no-remote-export', '--no-auto-update'],
      ...(task.control ? ['--additional-mcp-config', toolServer(task.control, task.config.timeoutMs)] : []),
      ...(task.model ? ['--model', task.model] : []),
      ...task.config.copilot.args,
    ],
    cwd: task.cwd,
    env: { ...task.env },
    stdin: task.prompt,
  };
}

/** The run's tools; the client takes the token from the environment, so that process listings do not show it. */
function toolServer({ url }: AgentControl, timeoutMs: number): string {
  const ralph = {
    type: 'http',
    url: `${url}/mcp`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client's own syntax for a variable
    headers: { Authorization: 'Bearer ${RALPH_CONTROL_TOKEN}' },
    tools: ['*'],
    // `complete_story` runs the checks before it answers.
    timeout: timeoutMs,
  };
  return JSON.stringify({ mcpServers: { ralph } });
}

type Env = Readonly<Record<string, string | undefined>>;

function ofGitHub(env: Env): readonly string[] {
  const host = env['COPILOT_GH_HOST'] ?? env['GH_HOST'];
  const own = host && host !== 'github.com' ? [host, `*.${host}`] : [];
  // Only the login needs the site itself, where a repository could be pushed to.
  const login = env['COPILOT_GITHUB_TOKEN'] || own.length > 0 ? [] : ['github.com'];
  return [...(own.length > 0 ? own : ['api.github.com']), '*.githubcopilot.com', ...login];
}
