import type { Config } from '../../../contracts/index.ts';
import type { IsolationName } from '../../isolation/index.ts';
import { askVersion } from '../detect.ts';
import { endpoints, isSwitchedOn, membersOf } from '../needs.ts';
import type { AgentAdapter, AgentAvailability, InsideNeeds } from '../port.ts';
import { claudeCommand, rootRefusal } from './command.ts';
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

/** Claude Code in print mode: one `claude -p` per task, whose stream-json is read. */
export const claude: AgentAdapter = {
  name: 'claude',
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
  program: ({ claude: { command } }) => command,
  detect: (config, isolation) => detectClaude(config, process.env, isolation),
  command: async (task) => claudeCommand(task),
  translator: () => claudeTranslator(),
};

const INSTALL =
  'npm install -g @anthropic-ai/claude-code, then run `claude` once to log in; or name the program in claude.command';

/** Checks that the client is installed, starts, and would run under this configuration. Runs `claude --version`. */
export async function detectClaude(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  isolation: IsolationName = 'none',
): Promise<AgentAvailability> {
  const { command } = config.claude;
  const answer = await askVersion(command);
  if ('failure' in answer) return { ok: false, version: null, detail: answer.failure, mend: INSTALL };
  const refusal = rootRefusal(config, env, isolation);
  if (refusal)
    return { ok: false, version: answer.version, detail: refusal.what, mend: (refusal.mend ?? []).join('; or ') };
  return { ok: true, version: answer.version, detail: `${command} ${answer.version}`, mend: '' };
}

type Env = Readonly<Record<string, string | undefined>>;

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
