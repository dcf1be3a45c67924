import { endpoints, isSwitchedOn } from '../endpoints.ts';
import { membersOf } from '../logins.ts';
import type { InsideNeeds } from '../port.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What Gemini CLI needs inside: it takes its login from `oauth_creds.json` beside the settings, made inside. */
export const geminiNeeds: InsideNeeds = {
  hosts: (env) => [
    ...(isSwitchedOn(env, 'GOOGLE_GENAI_USE_VERTEXAI') ? vertex(env) : ['generativelanguage.googleapis.com']),
    // The login with an account of Google, and the service behind it.
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
    // How one logs in stands in the settings: without a file of the person's, what a login inside wrote of it stays.
    { path: '.gemini/settings.json', login: membersOf('security.auth.selectedType') },
  ],
  seeds: { '.gemini/settings.json': '{}' },
};

function vertex(env: Env): readonly string[] {
  const region = env['GOOGLE_CLOUD_LOCATION'];
  const own = region && region !== 'global' ? [`${region}-aiplatform.googleapis.com`] : [];
  return ['aiplatform.googleapis.com', ...own];
}
