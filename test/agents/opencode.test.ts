import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startModelServer } from '../support/model-server.ts';
import type { AgentSetup } from './agent-project.ts';
import { behaves } from './behaves.ts';
import { clientOf } from './clients.ts';
import { turnOf } from './story.ts';

const program = clientOf('opencode');

const setup: AgentSetup = {
  name: 'opencode',
  serve: (script) => startModelServer((request) => script(turnOf(request))),
  settings: () => ({ model: 'scripted/a-model', agents: { opencode: { command: program, mcp: ['notes'] } } }),
  async home(home, { url }, key) {
    await installedPlugins(home);
    const config = join(home, 'opencode.json');
    const options = { baseURL: `${url}/v1`, ...(key === null ? {} : { apiKey: key }) };
    const models = { 'a-model': { limit: { context: 200_000, output: 8_000 }, cost: { input: 3, output: 15 } } };
    await writeFile(config, JSON.stringify({ provider: { scripted: { npm: '@ai-sdk/anthropic', options, models } } }));
    return { OPENCODE_CONFIG: config, OPENCODE_DISABLE_MODELS_FETCH: '1' };
  },
};

/** The client installs a package into its folder before it loads a plugin, unless the folder looks as if it had. */
async function installedPlugins(home: string): Promise<void> {
  const folder = join(home, '.config', 'opencode');
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  const root = { dependencies: { '@opencode-ai/plugin': '0.0.0' } };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': root } }));
}

behaves(program, {
  setup,
  outside: {
    ...setup,
    settings: () => ({
      model: 'anthropic/claude-sonnet-4-5',
      agents: { opencode: { command: program } },
      isolation: { backend: 'bwrap', required: true },
    }),
    home: async (_, { url }, key) => ({
      RALPH_ISOLATION_BACKEND: '',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      ANTHROPIC_BASE_URL: `${url}/v1`,
      ANTHROPIC_API_KEY: key ?? '',
    }),
  },
  words: {
    shell: (command) => ({ name: 'bash', input: { command, description: 'A command' } }),
    tool: (name, input, server = 'ralph') => ({ name: `${server}_${name}`, input }),
  },
  limit: { status: 429, headers: { 'retry-after': '3600' } },
});
