import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeAtomic } from '../../../platform/index.ts';
import { detectProgram } from '../detect.ts';
import { endpoints, entriesWhere } from '../needs.ts';
import type { AgentAdapter, AgentCommand, AgentTask, InsideNeeds } from '../port.ts';
import { opencodeTranslator, reporterSource } from './translator.ts';

const INSTALL =
  'npm install -g opencode-ai, then run `opencode auth login` once or export the key of a provider; or name the program in opencode.command';

/** What OpenCode needs inside. Its login is in `~/.local/share/opencode`, and is made inside. */
const opencodeNeeds: InsideNeeds = {
  hosts,
  config: {
    folder: '.config/opencode',
    // Other variables (OPENCODE_CONFIG, OPENCODE_CONFIG_DIR) add settings and do not replace these.
    variable: null,
    copied: [
      ...['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md'],
      ...['agent', 'agents', 'command', 'commands', 'skill', 'skills', 'mode', 'modes'],
    ],
  },
  // Not those of type `wellknown`: they name an address from which settings are fetched, and settings start programs.
  logins: [
    {
      path: '.local/share/opencode/auth.json',
      login: entriesWhere(({ type }) => type === 'api' || type === 'oauth'),
      renewed: true,
    },
  ],
  seeds: {},
};

/** OpenCode in its non-interactive mode: one `opencode run --format json` per task, whose events are read. */
export const opencode: AgentAdapter = {
  name: 'opencode',
  capabilities: { hooks: false, tools: true, cost: true, tokens: true, limits: true, budget: false },
  // Its own settings one by one (it sets many OPENCODE_* variables for its children), and the keys of the providers
  // that it knows best; the key of any other provider is named in `env.pass`.
  environment: [
    ...['OPENCODE_API_KEY', 'OPENCODE_AUTH_CONTENT', 'OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
    ...['OPENCODE_MODELS_URL', 'OPENCODE_DISABLE_MODELS_FETCH', 'OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS'],
    ...['ANTHROPIC_*', 'OPENAI_*', 'AZURE_*', 'GEMINI_*', 'GOOGLE_*', 'AWS_*', 'OPENROUTER_*', 'OLLAMA_*'],
    ...['CEREBRAS_API_KEY', 'DEEPSEEK_API_KEY', 'FIREWORKS_API_KEY', 'GROQ_API_KEY', 'MISTRAL_API_KEY'],
    ...['MOONSHOT_API_KEY', 'TOGETHER_API_KEY', 'XAI_API_KEY', 'ZHIPU_API_KEY'],
  ],
  inside: opencodeNeeds,
  program: ({ opencode: { command } }) => command,
  detect: (config) => detectProgram(config.opencode.command, INSTALL),
  command: opencodeCommand,
  translator: (task) => opencodeTranslator(task.model),
};

type Env = Readonly<Record<string, string | undefined>>;

/** The hosts of each provider whose key is in the environment. `allowHosts` names that of a login made inside. */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  ANTHROPIC_API_KEY: ['api.anthropic.com'],
  OPENAI_API_KEY: ['api.openai.com'],
  GEMINI_API_KEY: ['generativelanguage.googleapis.com'],
  GOOGLE_GENERATIVE_AI_API_KEY: ['generativelanguage.googleapis.com'],
  GOOGLE_API_KEY: ['generativelanguage.googleapis.com'],
  OPENROUTER_API_KEY: ['openrouter.ai'],
  CEREBRAS_API_KEY: ['api.cerebras.ai'],
  DEEPSEEK_API_KEY: ['api.deepseek.com'],
  FIREWORKS_API_KEY: ['api.fireworks.ai'],
  GROQ_API_KEY: ['api.groq.com'],
  MISTRAL_API_KEY: ['api.mistral.ai'],
  MOONSHOT_API_KEY: ['api.moonshot.ai', 'api.moonshot.cn'],
  TOGETHER_API_KEY: ['api.together.xyz'],
  XAI_API_KEY: ['api.x.ai'],
  ZHIPU_API_KEY: ['open.bigmodel.cn', 'api.z.ai'],
};

function hosts(env: Env): readonly string[] {
  const { AWS_REGION: region, AZURE_RESOURCE_NAME: resource } = env;
  return [
    // Its list of models, its own service, and the registry from which it fetches the code for a provider.
    ...['models.dev', 'opencode.ai', 'registry.npmjs.org'],
    ...Object.keys(PROVIDERS).flatMap((key) => (env[key] ? (PROVIDERS[key] ?? []) : [])),
    ...(region ? [`bedrock-runtime.${region}.amazonaws.com`] : []),
    ...(resource ? [`${resource}.openai.azure.com`, `${resource}.services.ai.azure.com`] : []),
    ...endpoints(env, 'OPENCODE_MODELS_URL', 'ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'OLLAMA_HOST'),
  ];
}

/** Memory of the project, which the client would otherwise leave out together with the project's settings. */
const MEMORY = ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md'];

/**
 * The command line of one task; the prompt comes on standard input.
 *
 * Kept out: the project's `opencode.json` and `.opencode/`. Kept: the login, and the user's own `opencode.json` with
 * its plugins and MCP servers, because it defines providers and logins and the client has no switch that separates them
 * from the rest. Ralph's settings are added through the environment and touch none of the user's files.
 */
export async function opencodeCommand(task: AgentTask): Promise<AgentCommand> {
  const reporter = join(task.tempDir, 'ralph-reporter.mjs');
  await writeAtomic(reporter, reporterSource(), { fsync: false });
  return {
    file: task.config.opencode.command,
    args: [
      ...['run', '--format', 'json'],
      '--auto',
      // Its log names the class of an error that the event stream calls unknown.
      ...['--print-logs', '--log-level', 'ERROR'],
      ...(task.model ? ['--model', task.model] : []),
      ...task.config.opencode.args,
    ],
    cwd: task.cwd,
    env: {
      ...task.env,
      OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(task, pathToFileURL(reporter).href)),
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_DISABLE_TERMINAL_TITLE: '1',
      // A client that updates itself during an overnight run is not the version that was tested before it.
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
    stdin: task.prompt,
  };
}

function settings(task: AgentTask, plugin: string): object {
  return {
    plugin: [plugin],
    instructions: MEMORY.map((name) => join(task.cwd, name)),
    // The loop judges afterwards; a question would wait all night for an answer.
    permission: { '*': 'allow', question: 'deny' },
    share: 'disabled',
    // These are copies of the work tree for an undo that no run uses; the loop has its own.
    snapshot: false,
    ...(task.control ? { mcp: { ralph: toolServer(task.control.url, task.config.timeoutMs) } } : {}),
  };
}

/** The run's tools; the client takes the token from the environment. */
function toolServer(url: string, timeoutMs: number): object {
  return {
    type: 'remote',
    url: `${url}/mcp`,
    headers: { Authorization: 'Bearer {env:RALPH_CONTROL_TOKEN}' },
    oauth: false,
    enabled: true,
    // `complete_story` runs the checks before it answers.
    timeout: timeoutMs,
  };
}
