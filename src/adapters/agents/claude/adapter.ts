import { type Config, type ErrorFacts, UnavailableError } from '../../../contracts/index.ts';
import type { IsolationName } from '../../isolation/index.ts';
import { clientOf, endpoints, isSwitchedOn, membersOf, programOf } from '../client.ts';
import type {
  AgentAdapter,
  AgentAvailability,
  AgentCommand,
  AgentControl,
  AgentTask,
  Env,
  InsideNeeds,
} from '../port.ts';
import { bashSandboxSettings, hookSettings, serversFile, skillsPlugin, toolServers } from './settings.ts';
import { claudeTranslator } from './translator.ts';

/**
 * What Claude Code needs inside. Without CLAUDE_CONFIG_DIR it keeps its settings and its login in `~/.claude`, and its
 * own data in `~/.claude.json`, which must parse.
 *
 * Not copied: `.credentials.json` (two places that renew one login log each other out), `.claude.json` (the account,
 * other sessions' text), `settings.json` and `plugins` (none of the user's settings apply in a run), `projects`.
 */
const claudeNeeds: InsideNeeds = {
  hosts: (env) => SERVICES.find(({ on }) => isSwitchedOn(env, on))?.hosts(env) ?? ofAnthropic(env),
  provider: (env) =>
    SERVICES.some(({ on }) => isSwitchedOn(env, on))
      ? null
      : {
          address: 'ANTHROPIC_BASE_URL',
          base: 'https://api.anthropic.com',
          secrets: {
            ANTHROPIC_API_KEY: 'sk-ant-api03-',
            ANTHROPIC_AUTH_TOKEN: '',
            CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-',
          },
          headers: 'ANTHROPIC_CUSTOM_HEADERS',
        },
  config: {
    folder: '.claude',
    variable: 'CLAUDE_CONFIG_DIR',
    copied: ['CLAUDE.md', 'rules', 'skills', 'agents', 'commands', 'output-styles'],
  },
  logins: [
    // Not `mcpOAuth`, which the file also holds: logins of servers that no run uses.
    { path: '.claude/.credentials.json', login: membersOf('claudeAiOauth', 'organizationUuid'), renewed: true },
    // Not `mcpServers` and `projects`, which name programs to start.
    {
      path: '.claude.json',
      login: membersOf('oauthAccount', 'primaryApiKey', 'userID', 'hasCompletedOnboarding', 'lastOnboardingVersion'),
    },
  ],
  seeds: { '.claude.json': '{}' },
};

const client = clientOf('claude', 'npm install -g @anthropic-ai/claude-code, then run `claude` once to log in');

/** Claude Code in print mode: one `claude -p` per task, whose stream-json is read. */
export const claude: AgentAdapter = {
  ...client,
  capabilities: { hooks: true, tools: true, cost: true, tokens: true, limits: true, budget: true },
  environment: [
    'ANTHROPIC_*',
    'CLAUDE_*',
    'AWS_REGION',
    'CLOUD_ML_REGION',
    'IS_SANDBOX',
    'DISABLE_*',
    'API_TIMEOUT_MS',
  ],
  inside: claudeNeeds,
  login: {
    variables: [
      ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
      ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
    ],
    files: ['.claude/.credentials.json'],
    command: 'claude',
  },
  detect: detectClaude,
  command: claudeCommand,
  loginCheck: claudeLoginCheck,
  translator: claudeTranslator,
};

/** Whether the client is installed, starts, and would run under this configuration. Runs `claude --version`. */
async function detectClaude(config: Config, isolation: IsolationName = 'none'): Promise<AgentAvailability> {
  const found = await client.detect(config, isolation);
  const refusal = found.ok ? rootRefusal(config, { ...process.env, ...config.agents.claude.env }, isolation) : null;
  return refusal ? { ...found, ok: false, detail: refusal.what, fix: (refusal.fix ?? []).join('; or ') } : found;
}

/** The hosts of each model service, by the switch that selects it. The first switch that is on decides. */
const SERVICES: readonly { readonly on: string; hosts(env: Env): readonly string[] }[] = [
  { on: 'CLAUDE_CODE_USE_BEDROCK', hosts: bedrock },
  { on: 'CLAUDE_CODE_USE_VERTEX', hosts: vertex },
  { on: 'CLAUDE_CODE_USE_FOUNDRY', hosts: foundry },
];

/** The second host fetches and renews a login made inside; the rest of that login happens in the browser. */
function ofAnthropic(env: Env): readonly string[] {
  return ['api.anthropic.com', 'platform.claude.com', ...endpoints(env, 'ANTHROPIC_BASE_URL')];
}

function bedrock(env: Env): readonly string[] {
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  return [
    ...['bedrock-runtime', 'bedrock', 'sts', 'oidc', 'portal.sso'].map((name) => `${name}.${region}.amazonaws.com`),
    ...endpoints(env, 'ANTHROPIC_BEDROCK_BASE_URL'),
  ];
}

function vertex(env: Env): readonly string[] {
  // Some models are served from their own region: VERTEX_REGION_CLAUDE_…
  const names = Object.keys(env).filter((name) => name === 'CLOUD_ML_REGION' || name.startsWith('VERTEX_REGION_'));
  const regions = names.flatMap((name) => env[name] ?? []).filter((region) => region !== 'global');
  return [
    'aiplatform.googleapis.com',
    ...regions.map((region) => `${region}-aiplatform.googleapis.com`),
    ...['oauth2', 'sts', 'iamcredentials'].map((name) => `${name}.googleapis.com`),
    ...endpoints(env, 'ANTHROPIC_VERTEX_BASE_URL'),
  ];
}

function foundry(env: Env): readonly string[] {
  const resource = env['ANTHROPIC_FOUNDRY_RESOURCE'];
  return [
    ...(resource ? [`${resource}.services.ai.azure.com`] : []),
    'login.microsoftonline.com',
    ...endpoints(env, 'ANTHROPIC_FOUNDRY_BASE_URL'),
  ];
}

/**
 * Variables that Claude Code sets for its own children. When ralph itself was started from inside a session, these
 * would make the agent consider itself part of that session.
 */
const OUTER_SESSION = [
  ...['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_SSE_PORT', 'CLAUDE_EFFORT'],
  ...['CLAUDE_ENV_FILE', 'CLAUDE_PID', 'CLAUDE_PLUGIN_DATA', 'CLAUDE_PLUGIN_ROOT', 'CLAUDE_PROJECT_DIR'],
];

/**
 * The command line of one task. Throws UnavailableError where the client would refuse to start (bypass as root).
 *
 * Isolated both ways: no settings file of the user or the project applies, and of MCP servers, skills and sub-agents
 * only those that ralph's settings name; ralph writes nothing to them. Project memory still works: the work tree is an "additional directory" whose CLAUDE.md is read.
 */
async function claudeCommand(task: AgentTask): Promise<AgentCommand> {
  const refusal = rootRefusal(task.config, task.env, task.isolation);
  if (refusal) throw new UnavailableError(refusal);
  return {
    file: programOf(task.config, 'claude').file,
    args: await claudeArguments(task),
    cwd: task.cwd,
    env: claudeEnvironment(task),
    stdin: task.prompt,
  };
}

/** No provider has it. Anthropic asks for the login first: 401 without one, else 404, and neither is billed. */
const NO_MODEL = 'ralph-login-check';

/** Other services answer a model that they do not have with what looks like a refused login. */
function claudeLoginCheck(env: Env): AgentAdapter['command'] | null {
  if (SERVICES.some(({ on }) => isSwitchedOn(env, on))) return null;
  return async (task) => ({
    file: programOf(task.config, 'claude').file,
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose', '--setting-sources', '', '--strict-mcp-config'],
      ...['--tools', '', '--model', NO_MODEL],
    ],
    cwd: task.cwd,
    env: { ...claudeEnvironment(task), CLAUDE_CODE_MAX_RETRIES: '0' },
    stdin: task.prompt,
  });
}

async function claudeArguments(task: AgentTask): Promise<readonly string[]> {
  const { control, config, servers = [] } = task;
  const { allowedTools, effort } = config.agents.claude;
  const { first, args } = programOf(config, 'claude');
  const settings = { ...(control ? hookSettings(control) : {}), ...bashSandboxSettings(task) };
  const given = [...(control ? [toolServers(control)] : []), ...(await serversFile(task))];
  // Where the client asks, the run's own tools must be on the list, and those of servers that a person named.
  const names = [...(control ? ['ralph'] : []), ...servers.map(({ name }) => name)];
  const allowed = allowedTools === null ? [] : [...allowedTools, ...names.map((name) => `mcp__${name}`)];
  return [
    ...first,
    '-p',
    // stream-json is refused without --verbose
    ...['--output-format', 'stream-json', '--verbose'],
    ...['--setting-sources', ''],
    ...(Object.keys(settings).length > 0 ? ['--settings', JSON.stringify(settings)] : []),
    '--strict-mcp-config',
    ...(given.length > 0 ? ['--mcp-config', ...given] : []),
    ...(await skillsPlugin(task)),
    ...['--permission-mode', allowedTools === null ? 'bypassPermissions' : 'acceptEdits'],
    ...(task.model ? ['--model', task.model] : []),
    ...(effort === null ? [] : ['--effort', effort]),
    ...args,
    ...(task.budgetUsd === null ? [] : ['--max-budget-usd', task.budgetUsd.toFixed(4)]),
    // These two take any number of values, so they come last.
    ...(allowed.length > 0 ? ['--allowedTools', ...allowed] : []),
    ...['--add-dir', task.cwd],
  ];
}

function claudeEnvironment(task: AgentTask): Record<string, string> {
  const given = Object.entries(withoutServer(task.env, task.control));
  const inherited = Object.fromEntries(given.filter(([name]) => !OUTER_SESSION.includes(name)));
  return {
    ...inherited,
    ...(task.isolation === 'none' ? {} : { IS_SANDBOX: '1' }),
    CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
    // The client's own ten retries take three minutes; the loop has its own retries, which it records.
    CLAUDE_CODE_MAX_RETRIES: inherited['CLAUDE_CODE_MAX_RETRIES'] ?? '4',
    // Background work would outlive the turn that claims to have finished it.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_TMPDIR: task.tempDir,
    // A client that updates itself during an overnight run is not the version that was tested before it.
    DISABLE_AUTOUPDATER: '1',
    // `complete_story` runs the checks before it answers.
    MCP_TOOL_TIMEOUT: String(task.config.timeoutMs),
    // The loop's own limit of refused stops must take effect first, because the loop reports it.
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: String(task.config.hooks.stopRefusals + 1),
  };
}

/**
 * Why the client would refuse to start; null when it would start. As root it accepts bypass only when a variable says
 * that it is in a sandbox (IS_SANDBOX=1 or CLAUDE_CODE_BUBBLEWRAP=1). Where an isolation has been proven, ralph sets
 * IS_SANDBOX; elsewhere only the user may.
 */
function rootRefusal(config: Config, env: Env, isolation: IsolationName): ErrorFacts | null {
  const isRoot = process.getuid?.() === 0;
  const saidSandbox = isTrue(env['IS_SANDBOX']) || isTrue(env['CLAUDE_CODE_BUBBLEWRAP']);
  if (!isRoot || saidSandbox || isolation !== 'none' || config.agents.claude.allowedTools !== null) return null;
  return {
    what: 'Claude Code does not run as root with permissions bypassed',
    where: 'permission mode bypassPermissions, user root, no isolation, no IS_SANDBOX in the environment',
    why: 'the agent would have full access to this machine',
    fix: [
      'use isolation (`ralph sandbox status` shows which backend works here)',
      'run ralph as an ordinary user',
      'list what the agent may run in agents.claude.allowedTools, e.g. ["Bash(npm test:*)", "Bash(git:*)"]',
      'if this machine is a container or VM made for the agent: export IS_SANDBOX=1',
    ],
  };
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/**
 * The variables that lead to the control server, without them where it cannot be reached: the command hook leaves the
 * decision to the server as long as it knows its address.
 */
function withoutServer(
  env: Readonly<Record<string, string>>,
  control: AgentControl | null,
): Readonly<Record<string, string>> {
  if (control?.spool === undefined) return env;
  const { RALPH_CONTROL_URL: _url, RALPH_CONTROL_TOKEN: _token, ...rest } = env;
  return rest;
}
