import { detectProgram } from '../detect.ts';
import { endpoints, isSwitchedOn, membersOf } from '../needs.ts';
import type { AgentAdapter, AgentCommand, AgentTask, InsideNeeds } from '../port.ts';
import { geminiTranslator } from './translator.ts';

const INSTALL =
  'npm install -g @google/gemini-cli, then run `gemini` once to log in or export GEMINI_API_KEY; or name the program in gemini.command';

/** What Gemini CLI needs inside: it takes its login from `oauth_creds.json` beside the settings, made inside. */
const geminiNeeds: InsideNeeds = {
  hosts: (env) => [
    ...(isSwitchedOn(env, 'GOOGLE_GENAI_USE_VERTEXAI') ? vertex(env) : ['generativelanguage.googleapis.com']),
    // The login with a Google account, and the service behind it.
    ...['cloudcode-pa.googleapis.com', 'oauth2.googleapis.com', 'www.googleapis.com', 'accounts.google.com'],
    ...endpoints(env, 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL'),
  ],
  config: {
    folder: '.gemini',
    variable: 'GEMINI_CLI_HOME',
    variableNamesHome: true,
    copied: ['settings.json', 'GEMINI.md', 'commands', 'skills', 'agents'],
  },
  logins: [
    {
      path: '.gemini/oauth_creds.json',
      login: membersOf('access_token', 'refresh_token', 'id_token', 'scope', 'token_type', 'expiry_date'),
      renewed: true,
    },
    { path: '.gemini/google_accounts.json', login: membersOf('active', 'old') },
    // The settings name the login method: without the user's file, the method that a login inside wrote is kept.
    { path: '.gemini/settings.json', login: membersOf('security.auth.selectedType') },
  ],
  seeds: { '.gemini/settings.json': '{}' },
};

/** Gemini CLI in headless mode: one process per task, whose stream-json is read. */
export const gemini: AgentAdapter = {
  name: 'gemini',
  capabilities: { hooks: false, tools: false, cost: false, tokens: true, limits: true, budget: false },
  // Its own variables one by one: it sets many GEMINI_CLI_* variables for its children, which must not reach an agent
  // when ralph itself was started from a Gemini session.
  environment: [
    ...['GEMINI_API_KEY', 'GEMINI_MODEL', 'GEMINI_DEFAULT_AUTH_TYPE', 'GEMINI_CLI_HOME'],
    ...['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'GOOGLE_*'],
  ],
  inside: geminiNeeds,
  program: ({ gemini: { command } }) => command,
  detect: ({ gemini: { command } }) => detectProgram(command, INSTALL),
  command: async (task) => geminiCommand(task),
  translator: () => geminiTranslator(),
};

type Env = Readonly<Record<string, string | undefined>>;

function vertex(env: Env): readonly string[] {
  const region = env['GOOGLE_CLOUD_LOCATION'];
  const own = region && region !== 'global' ? [`${region}-aiplatform.googleapis.com`] : [];
  return ['aiplatform.googleapis.com', ...own];
}

/** A name that no server or extension has: an empty list would mean "all of them". */
const NONE = 'none';

/**
 * The command line of one task. Extensions and MCP servers of the user and the project are kept out; their other
 * settings (hooks, the context file's name) apply, because the client has no switch to disable them.
 */
function geminiCommand(task: AgentTask): AgentCommand {
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
