import { clientAgent, membersOf } from '../client.ts';
import { messageTranslator } from '../messages.ts';

const NO_LOGIN = /^(?:Error: Authentication required\. |\S*⚠ Warning: The provided API key is invalid\.)/;

/** Cursor's command line in print mode: one process per task, whose stream-json is read. */
export const cursor = clientAgent({
  name: 'cursor',
  install: 'curl https://cursor.com/install -fsS | bash, then run `cursor-agent login` once or export CURSOR_API_KEY',
  // It says why a request failed only on standard error, in words.
  capabilities: { hooks: false, tools: false, cost: false, tokens: false, limits: false, budget: false },
  environment: ['CURSOR_API_KEY', 'CURSOR_CONFIG_DIR'],
  inside: {
    hosts: () => ['*.cursor.sh', 'cursor.com', '*.cursorapi.com'],
    config: { folder: '.cursor', variable: 'CURSOR_CONFIG_DIR', copied: ['cli-config.json', 'rules', 'skills'] },
    logins: [{ path: '.config/cursor/auth.json', login: membersOf('accessToken', 'refreshToken'), renewed: true }],
    seeds: {},
  },
  login: { variables: ['CURSOR_API_KEY'], files: ['.config/cursor/auth.json'], command: 'cursor-agent login' },
  args: () => ['--print', '--output-format', 'stream-json', '--force', '--trust'],
  translator: () => messageTranslator({ noLogin: NO_LOGIN }),
});
