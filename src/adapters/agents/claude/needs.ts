import { endpoints, isSwitchedOn } from '../endpoints.ts';
import { membersOf } from '../logins.ts';
import type { InsideNeeds } from '../port.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where the model is asked, by the switch that chooses the service. The first that is on counts. */
const SERVICES: readonly { readonly on: string; hosts(env: Env): readonly string[] }[] = [
  { on: 'CLAUDE_CODE_USE_BEDROCK', hosts: bedrock },
  { on: 'CLAUDE_CODE_USE_VERTEX', hosts: vertex },
  { on: 'CLAUDE_CODE_USE_FOUNDRY', hosts: foundry },
];

/**
 * What Claude Code needs inside. Without CLAUDE_CONFIG_DIR it keeps its settings and its login in `~/.claude`, and what
 * it knows about itself in `~/.claude.json`, which it wants to be able to parse.
 *
 * Not copied: `.credentials.json` (two places that renew one login log each other out), `.claude.json` (the account,
 * and what was said elsewhere), `settings.json` and `plugins` (no settings of the person's apply in a run), `projects`.
 */
export const claudeNeeds: InsideNeeds = {
  hosts: (env) => SERVICES.find(({ on }) => isSwitchedOn(env, on))?.hosts(env) ?? ofAnthropic(env),
  config: {
    folder: '.claude',
    variable: 'CLAUDE_CONFIG_DIR',
    copied: ['CLAUDE.md', 'rules', 'skills', 'agents', 'commands', 'output-styles'],
  },
  logins: [
    // Not `mcpOAuth`, which is there too: logins of servers that no run uses.
    { path: '.claude/.credentials.json', login: membersOf('claudeAiOauth', 'organizationUuid'), renewed: true },
    // Not `mcpServers` and `projects`, which name programs that are started.
    {
      path: '.claude.json',
      login: membersOf('oauthAccount', 'primaryApiKey', 'userID', 'hasCompletedOnboarding', 'lastOnboardingVersion'),
    },
  ],
  seeds: { '.claude.json': '{}' },
};

/** The second one is where a login made inside is fetched and renewed; everything else of it happens in the browser. */
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
  // Some models are served from a region of their own: VERTEX_REGION_CLAUDE_…
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
