import { detectProgram } from '../detect-program.ts';
import { endpoints } from '../endpoints.ts';
import { membersOf } from '../logins.ts';
import type { AgentAdapter } from '../port.ts';
import { codexCommand } from './command.ts';
import { codexTranslator } from './translator.ts';

const INSTALL =
  'npm install -g @openai/codex, then run `codex login` once or export CODEX_API_KEY; or name the program in codex.command';

/** Codex CLI in its non-interactive mode: one `codex exec --json` a task, its events read back. */
export const codex: AgentAdapter = {
  name: 'codex',
  capabilities: { hooks: false, tools: true, cost: false, tokens: true, limits: true, budget: false },
  // Named one by one: the client tells its own children a good deal in CODEX_*, which must not reach an agent when
  // ralph itself was started from a session of it.
  environment: ['CODEX_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'CODEX_CA_CERTIFICATE', 'OPENAI_*'],
  inside: {
    // The API, the service behind a login with an account, and where that login is fetched and renewed.
    hosts: (env) => ['api.openai.com', 'chatgpt.com', 'auth.openai.com', ...endpoints(env, 'OPENAI_BASE_URL')],
    // Neither `config.toml`, which a run leaves out anyway, nor `auth.json`, which is the login.
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
