import { stripVTControlCharacters } from 'node:util';
import { clientAgent } from '../client.ts';
import { commandTranslator } from '../command/adapter.ts';

/** Kiro's command line in headless mode: one process per task, which answers in plain text. */
export const kiro = clientAgent({
  name: 'kiro',
  install: 'curl -fsSL https://cli.kiro.dev/install | bash, then run `kiro-cli login` once or export KIRO_API_KEY',
  capabilities: { hooks: false, tools: false, cost: false, tokens: false, limits: false, budget: false, plain: true },
  environment: ['KIRO_API_KEY'],
  inside: {
    hosts: () => ['*.kiro.dev', 'q.us-east-1.amazonaws.com', 'q.eu-central-1.amazonaws.com'],
    config: { folder: '.kiro', variable: null, copied: ['steering', 'skills', 'agents'] },
    // A database, which is not carried over.
    logins: [],
    seeds: {},
  },
  args: () => ['chat', '--no-interactive', '--trust-all-tools', '--wrap', 'never'],
  translator: () => {
    const { line, end } = commandTranslator();
    return { line: (text) => line(stripVTControlCharacters(text)), end };
  },
});
