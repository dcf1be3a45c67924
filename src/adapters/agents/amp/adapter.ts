import { jsonObject } from '../../../contracts/index.ts';
import { clientAgent, endpoints } from '../client.ts';
import { messageTranslator } from '../messages.ts';

/** Amp in execute mode: one process per task, whose stream-json is read. Its threads live on Amp's own server. */
export const amp = clientAgent({
  name: 'amp',
  install: 'npm install -g @sourcegraph/amp, then run `amp login` once or export AMP_API_KEY',
  capabilities: { hooks: false, tools: false, cost: false, tokens: true, limits: false, budget: false },
  environment: ['AMP_API_KEY', 'AMP_URL', 'AMP_SETTINGS_FILE'],
  inside: {
    hosts: (env) => ['ampcode.com', '*.ampcode.com', ...endpoints(env, 'AMP_URL')],
    config: { folder: '.config/amp', variable: null, copied: ['settings.json', 'AGENTS.md', 'skills'] },
    logins: [{ path: '.local/share/amp/secrets.json', login: keysIn }],
    seeds: {},
  },
  login: { variables: ['AMP_API_KEY'], files: ['.local/share/amp/secrets.json'], command: 'amp login' },
  // Tools run without asking unless the user's settings say otherwise.
  args: () => ['--execute', '--stream-json', '--no-ide', '--no-notifications', '--no-color'],
  // The client has no models to choose from: a mode decides model, prompt and tools.
  model: '--mode',
  translator: () => messageTranslator({ noLogin: /^Error: Invalid or missing API key\./ }),
});

/** `{"apiKey@https://ampcode.com/": "sgamp_…"}`, without what else is kept beside it. */
function keysIn(text: string): string | null {
  const keys = Object.entries(jsonObject(text) ?? {}).filter(
    ([name, value]) => name.startsWith('apiKey@') && typeof value === 'string',
  );
  return keys.length === 0 ? null : JSON.stringify(Object.fromEntries(keys));
}
