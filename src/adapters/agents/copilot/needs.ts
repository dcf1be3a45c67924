import { endpoints, isSwitchedOn } from '../endpoints.ts';
import { membersOf } from '../logins.ts';
import type { InsideNeeds } from '../port.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What GitHub Copilot CLI needs inside. Its `config.json` holds the login where there is no keychain: never copied. */
export const copilotNeeds: InsideNeeds = {
  hosts: (env) => [
    ...(isSwitchedOn(env, 'COPILOT_OFFLINE') ? [] : ofGitHub(env)),
    ...endpoints(env, 'COPILOT_PROVIDER_BASE_URL'),
  ],
  config: {
    folder: '.copilot',
    variable: 'COPILOT_HOME',
    copied: ['copilot-instructions.md', 'instructions', 'agents', 'skills', 'mcp-config.json'],
  },
  // Not `mcp_servers` and `trusted_folders`. Newer versions write the names in the other way.
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

function ofGitHub(env: Env): readonly string[] {
  const host = env['COPILOT_GH_HOST'] ?? env['GH_HOST'];
  const own = host && host !== 'github.com' ? [host, `*.${host}`] : [];
  // Only the login needs the site itself, where a repository could be pushed to.
  const login = env['COPILOT_GITHUB_TOKEN'] || own.length > 0 ? [] : ['github.com'];
  return [...(own.length > 0 ? own : ['api.github.com']), '*.githubcopilot.com', ...login];
}
