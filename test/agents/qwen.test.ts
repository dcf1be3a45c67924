import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startModelServer } from '../support/model-server.ts';
import type { AgentSetup } from './agent-project.ts';
import { behaves } from './behaves.ts';
import { clientOf, MODULES } from './clients.ts';
import { turnOf } from './story.ts';

const program = clientOf('qwen');

const setup: AgentSetup = {
  name: 'qwen',
  serve: (script) => startModelServer((request) => script(turnOf(request))),
  settings: () => ({ model: 'a-model', agents: { qwen: { command: program, args: ['--auth-type', 'anthropic'] } } }),
  async home(home, { url }, key) {
    await mkdir(join(home, '.qwen'));
    // A refused request takes it a minute and a half even so.
    await writeFile(join(home, '.qwen/settings.json'), '{"model":{"generationConfig":{"maxRetries":0}}}');
    return { ANTHROPIC_BASE_URL: url, ...(key === null ? {} : { ANTHROPIC_API_KEY: key }) };
  },
};

behaves(program, {
  setup,
  outside: {
    ...setup,
    settings: (provider) => ({
      ...setup.settings(provider),
      isolation: { backend: 'bwrap', required: true, read: [MODULES] },
    }),
    home: async (home, provider, key) => ({ ...(await setup.home(home, provider, key)), RALPH_ISOLATION_BACKEND: '' }),
  },
  words: {
    shell: (command) => ({ name: 'run_shell_command', input: { command, is_background: false, description: 'x' } }),
  },
  limit: { status: 429 },
});
