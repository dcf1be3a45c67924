import { startModelServer } from '../support/model-server.ts';
import type { AgentSetup } from './agent-project.ts';
import { behaves } from './behaves.ts';
import { clientOf, MODULES } from './clients.ts';
import { turnOf } from './story.ts';

const program = clientOf('kimi');

const setup: AgentSetup = {
  name: 'kimi',
  serve: (script) => startModelServer((request) => script(turnOf(request))),
  settings: () => ({ agents: { kimi: { command: program } } }),
  home: async (_, { url }, key) => ({
    KIMI_MODEL_NAME: 'a-model',
    KIMI_MODEL_PROVIDER_TYPE: 'anthropic',
    KIMI_MODEL_BASE_URL: url,
    KIMI_DISABLE_TELEMETRY: '1',
    ...(key === null ? {} : { KIMI_MODEL_API_KEY: key }),
  }),
};

behaves(program, {
  setup,
  outside: {
    ...setup,
    settings: () => ({
      agents: { kimi: { command: program } },
      isolation: { backend: 'bwrap', required: true, read: [MODULES] },
    }),
    home: async (home, provider, key) => ({ ...(await setup.home(home, provider, key)), RALPH_ISOLATION_BACKEND: '' }),
  },
  words: { shell: (command) => ({ name: 'Bash', input: { command } }) },
  limit: { status: 429 },
});
