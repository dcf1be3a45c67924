import { detectProgram } from '../detect.ts';
import { endpoints, membersOf, sealed } from '../needs.ts';
import type { AgentAdapter, AgentCommand, AgentTask } from '../port.ts';
import { droidTranslator } from './translator.ts';

const INSTALL =
  'npm install -g @factory/cli, then run `droid` once to log in or export FACTORY_API_KEY; or name the program in droid.command';

/** Factory's Droid as `droid exec`: one process per task, whose stream-json is read. */
export const droid: AgentAdapter = {
  name: 'droid',
  capabilities: { hooks: false, tools: false, cost: false, tokens: true, limits: true, budget: false },
  // Named one by one: it sets more FACTORY_* variables for its children.
  environment: ['FACTORY_API_KEY', 'FACTORY_API_BASE_URL', 'FACTORY_HOME_OVERRIDE', 'FACTORY_AIRGAP_ENABLED'],
  inside: {
    // The second one serves the login. The host of a user's own model is named in `allowHosts`.
    hosts: (env) => ['*.factory.ai', 'api.workos.com', ...endpoints(env, 'FACTORY_API_BASE_URL')],
    config: {
      folder: '.factory',
      variable: 'FACTORY_HOME_OVERRIDE',
      variableNamesHome: true,
      copied: ['settings.json', 'AGENTS.md', 'droids', 'skills', 'commands'],
    },
    // The first two are encrypted, and the key to them; the last is from earlier versions.
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
 * The command line of one task. `high` runs everything except what the client considers an attack on the whole system
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
      // A client that updates itself during an overnight run is not the version that was tested before it.
      FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
    },
    stdin: task.prompt,
  };
}
