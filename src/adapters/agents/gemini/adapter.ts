import { detectProgram } from '../detect-program.ts';
import type { AgentAdapter } from '../port.ts';
import { geminiCommand } from './command.ts';
import { geminiNeeds } from './needs.ts';
import { geminiTranslator } from './translator.ts';

const INSTALL =
  'npm install -g @google/gemini-cli, then run `gemini` once to log in or export GEMINI_API_KEY; or name the program in gemini.command';

/** Gemini CLI in headless mode: one process a task, its stream-json read back. */
export const gemini: AgentAdapter = {
  name: 'gemini',
  capabilities: { hooks: false, tools: false, cost: false, tokens: true, limits: true, budget: false },
  // Its own one by one: it tells its children a good deal in GEMINI_CLI_*, which must not reach an agent when ralph
  // itself was started from a session of it.
  environment: [
    ...['GEMINI_API_KEY', 'GEMINI_MODEL', 'GEMINI_DEFAULT_AUTH_TYPE', 'GEMINI_CLI_HOME'],
    ...['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'GOOGLE_*'],
  ],
  inside: geminiNeeds,
  program: ({ gemini: { command } }) => command,
  detect: ({ gemini: { command } }) => detectProgram(command, INSTALL),
  command: async (task) => geminiCommand(task),
  translator: () => geminiTranslator(),
};
