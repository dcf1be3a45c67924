import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSetup } from './agent-project.ts';
import { behaves } from './behaves.ts';
import { clientOf } from './clients.ts';
import { codexProvider, startResponsesServer } from './responses-server.ts';

const program = clientOf('codex');

const setup: AgentSetup = {
  name: 'codex',
  serve: startResponsesServer,
  settings: ({ url }) => ({
    model: 'a-model',
    agents: {
      codex: {
        command: program,
        mcp: ['notes'],
        args: codexProvider(url),
      },
    },
  }),
  async home(home, _, key) {
    const state = join(home, '.codex');
    await mkdir(state);
    return { CODEX_HOME: state, ...(key === null ? {} : { OPENAI_API_KEY: key }) };
  },
};

behaves(program, {
  setup,
  outside: {
    ...setup,
    settings: () => ({
      model: 'a-model',
      agents: { codex: { command: program } },
      isolation: { backend: 'bwrap', required: true },
    }),
    home: async (_, { url }, key) => ({
      RALPH_ISOLATION_BACKEND: '',
      RALPH_CODEX_BASE_URL: url,
      CODEX_API_KEY: key ?? '',
    }),
  },
  words: {
    shell: (cmd) => ({ name: 'exec_command', input: { cmd } }),
    tool: (name, input, server = 'ralph') => ({ name: `mcp__${server}.${name}`, input }),
  },
  limit: {
    status: 429,
    message: JSON.stringify({ error: { type: 'usage_limit_reached', message: 'reached', plan_type: 'pro' } }),
  },
});
