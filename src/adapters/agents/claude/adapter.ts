import type { AgentAdapter } from '../port.ts';
import { claudeCommand } from './command.ts';
import { detectClaude } from './detect.ts';
import { claudeNeeds } from './needs.ts';
import { claudeTranslator } from './translator.ts';

/** Claude Code in print mode: one `claude -p` a task, its stream-json read back. */
export const claude: AgentAdapter = {
  name: 'claude',
  capabilities: { hooks: true, tools: true, cost: true, tokens: true, limits: true, budget: true },
  environment: [
    'ANTHROPIC_*',
    'CLAUDE_*',
    'AWS_REGION',
    'CLOUD_ML_REGION',
    'IS_SANDBOX',
    'DISABLE_*',
    'API_TIMEOUT_MS',
  ],
  inside: claudeNeeds,
  program: ({ claude: { command } }) => command,
  detect: (config, isolation) => detectClaude(config, process.env, isolation),
  command: async (task) => claudeCommand(task),
  translator: () => claudeTranslator(),
};
