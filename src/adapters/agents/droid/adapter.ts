import { detectProgram } from '../detect-program.ts';
import { endpoints } from '../endpoints.ts';
import { membersOf, sealed } from '../logins.ts';
import type { AgentAdapter, AgentCommand, AgentTask } from '../port.ts';
import { droidTranslator } from './translator.ts';

const INSTALL =
  'npm install -g @factory/cli, then run `droid` once to log in or export FACTORY_API_KEY; or name the program in droid.command';

/** Factory's Droid as `droid exec`: one process a task, its stream-json read back. */
export const droid: AgentAdapter = {
  name: 'droid',
  capabilities: { hooks: false, tools: false, cost: false, tokens: true, limits: true, budget: false },
  // One by one: it tells its children more in FACTORY_*.
  environment: ['FACTORY_API_KEY', 'FACTORY_API_BASE_URL', 'FACTORY_HOME_OVERRIDE', 'FACTORY_AIRGAP_ENABLED'],
  inside: {
    // The second one is asked for the login. A model of one's own is at a host that `allowHosts` names.
    hosts: (env) => ['*.factory.ai', 'api.workos.com', ...endpoints(env, 'FACTORY_API_BASE_URL')],
    config: {
      folder: '.factory',
      variable: 'FACTORY_HOME_OVERRIDE',
      variableNamesHome: true,
      copied: ['settings.json', 'AGENTS.md', 'droids', 'skills', 'commands'],
    },
    // The first two are encrypted, and the key to them; the last is of earlier versions.
    logins: [
      { path: '.factory/auth.v2.file', login: sealed, renewed: true },
      { path: '.factory/auth.v2.key', login: sealed },
      { path: '.factory/auth.encrypted', login: sealed, renewed: true },
      { path: '.factory/auth.json', login: membersOf('access_token', 'refresh_token'), renewed: true },
    ],
    seeds: {},
  },
  program: ({ droid: { command } }) => command,
  detect: ({ droid: { command } }) => detectProgram(command, INSTALL),
  command: async (task) => droidCommand(task),
  translator: () => droidTranslator(),
};

/**
 * The command line of one task. `high` runs everything but what the client takes for an attack on the whole system
 * (`rm -rf /`); its other switch skips even that check.
 */
function droidCommand(task: AgentTask): AgentCommand {
  return {
    file: task.config.droid.command,
    args: [
      'exec',
      ...['--output-format', 'stream-json'],
      ...['--auto', 'high'],
      ...(task.model ? ['--model', task.model] : []),
      ...task.config.droid.args,
    ],
    cwd: task.cwd,
    env: {
      ...task.env,
      // A client that replaces itself in the middle of a night's run is not the one that was tested in the evening.
      FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
    },
    stdin: task.prompt,
  };
}
