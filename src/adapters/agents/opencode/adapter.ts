import { detectProgram } from '../detect-program.ts';
import type { AgentAdapter } from '../port.ts';
import { opencodeCommand } from './command.ts';
import { opencodeNeeds } from './needs.ts';
import { opencodeTranslator } from './translator.ts';

const INSTALL =
  'npm install -g opencode-ai, then run `opencode auth login` once or export the key of a provider; or name the program in opencode.command';

/** OpenCode in its non-interactive mode: one `opencode run --format json` a task, its events read back. */
export const opencode: AgentAdapter = {
  name: 'opencode',
  capabilities: { hooks: false, tools: true, cost: true, tokens: true, limits: true, budget: false },
  // Its own settings one by one (it tells its children a good deal in OPENCODE_*), and the keys of the providers that
  // it knows best; a key of another one is named in `env.pass`.
  environment: [
    ...['OPENCODE_API_KEY', 'OPENCODE_AUTH_CONTENT', 'OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
    ...['OPENCODE_MODELS_URL', 'OPENCODE_DISABLE_MODELS_FETCH', 'OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS'],
    ...['ANTHROPIC_*', 'OPENAI_*', 'AZURE_*', 'GEMINI_*', 'GOOGLE_*', 'AWS_*', 'OPENROUTER_*', 'OLLAMA_*'],
    ...['CEREBRAS_API_KEY', 'DEEPSEEK_API_KEY', 'FIREWORKS_API_KEY', 'GROQ_API_KEY', 'MISTRAL_API_KEY'],
    ...['MOONSHOT_API_KEY', 'TOGETHER_API_KEY', 'XAI_API_KEY', 'ZHIPU_API_KEY'],
  ],
  inside: opencodeNeeds,
  program: ({ opencode: { command } }) => command,
  detect: (config) => detectProgram(config.opencode.command, INSTALL),
  command: opencodeCommand,
  translator: (task) => opencodeTranslator(task.model),
};
