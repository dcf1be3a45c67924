import { detectProgram } from '../detect-program.ts';
import type { AgentAdapter, AgentCommand, AgentControl, AgentTask } from '../port.ts';
import { copilotNeeds } from './needs.ts';
import { copilotTranslator } from './translator.ts';

const INSTALL =
  'npm install -g @github/copilot, then run `copilot login` or export COPILOT_GITHUB_TOKEN; or name the program in copilot.command';

/** GitHub Copilot CLI in prompt mode: one process a task, its JSON lines read back. */
export const copilot: AgentAdapter = {
  name: 'copilot',
  capabilities: { hooks: false, tools: true, cost: false, tokens: false, limits: true, budget: false },
  // Not GH_TOKEN and GITHUB_TOKEN, which it would take too: they open more than Copilot, so a person has to name them.
  // And not all of COPILOT_*: a session tells its children who it is.
  environment: [
    ...['COPILOT_GITHUB_TOKEN', 'COPILOT_HOME', 'COPILOT_MODEL', 'COPILOT_OFFLINE', 'COPILOT_PROVIDER_*'],
    ...['COPILOT_GH_HOST', 'GH_HOST'],
  ],
  inside: copilotNeeds,
  program: ({ copilot: { command } }) => command,
  detect: ({ copilot: { command } }) => detectProgram(command, INSTALL),
  command: async (task) => copilotCommand(task),
  translator: () => copilotTranslator(),
};

/**
 * The command line of one task. Nobody is there to be asked, and the session is not shown on GitHub. The client's
 * built-in MCP servers are kept out; the user's settings and servers apply, for they lie where the login is.
 */
function copilotCommand(task: AgentTask): AgentCommand {
  return {
    file: task.config.copilot.command,
    args: [
      ...['--output-format', 'json', '--no-color'],
      ...['--allow-all-tools', '--no-ask-user'],
      ...['--disable-builtin-mcps', '--no-remote-export', '--no-auto-update'],
      ...(task.control ? ['--additional-mcp-config', toolServer(task.control, task.config.timeoutMs)] : []),
      ...(task.model ? ['--model', task.model] : []),
      ...task.config.copilot.args,
    ],
    cwd: task.cwd,
    env: { ...task.env },
    stdin: task.prompt,
  };
}

/** The run's tools; the client puts the token in from the environment, where process listings do not show it. */
function toolServer({ url }: AgentControl, timeoutMs: number): string {
  const ralph = {
    type: 'http',
    url: `${url}/mcp`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client's own syntax for a variable
    headers: { Authorization: 'Bearer ${RALPH_CONTROL_TOKEN}' },
    tools: ['*'],
    // `complete_story` runs the checks before it answers.
    timeout: timeoutMs,
  };
  return JSON.stringify({ mcpServers: { ralph } });
}
