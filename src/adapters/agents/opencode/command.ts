import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import type { AgentCommand, AgentTask } from '../port.ts';
import { reporterSource } from './reporter.ts';

/** Memory of the project, which the client would leave out together with the project's settings. */
const MEMORY = ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md'];

/**
 * The command line of one task; the prompt comes on standard input.
 *
 * Kept out: the project's `opencode.json` and `.opencode/`. Kept: the login, and the user's own `opencode.json` with its
 * plugins and MCP servers, for providers and logins are defined there and the client has no switch that tells them from
 * the rest. Ours comes on top of it, in the environment, and touches no file of the user's.
 */
export async function opencodeCommand(task: AgentTask): Promise<AgentCommand> {
  const reporter = join(task.tempDir, 'ralph-reporter.mjs');
  await writeAtomic(reporter, reporterSource(), { fsync: false });
  return {
    file: task.config.opencode.command,
    args: [
      ...['run', '--format', 'json'],
      '--auto',
      // Its log names the class of an error that the event stream calls unknown.
      ...['--print-logs', '--log-level', 'ERROR'],
      ...(task.model ? ['--model', task.model] : []),
      ...task.config.opencode.args,
    ],
    cwd: task.cwd,
    env: {
      ...task.env,
      OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(task, pathToFileURL(reporter).href)),
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_DISABLE_TERMINAL_TITLE: '1',
      // A client that replaces itself in the middle of a night's run is not the one that was tested in the evening.
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
    stdin: task.prompt,
  };
}

function settings(task: AgentTask, plugin: string): object {
  return {
    plugin: [plugin],
    instructions: MEMORY.map((name) => join(task.cwd, name)),
    // The loop judges afterwards; a question would wait all night for an answer.
    permission: { '*': 'allow', question: 'deny' },
    share: 'disabled',
    // Copies of the work tree for an undo that nobody asks for; the loop has its own.
    snapshot: false,
    ...(task.control ? { mcp: { ralph: toolServer(task.control.url, task.config.timeoutMs) } } : {}),
  };
}

/** The run's tools; the client puts the token in from the environment. */
function toolServer(url: string, timeoutMs: number): object {
  return {
    type: 'remote',
    url: `${url}/mcp`,
    headers: { Authorization: 'Bearer {env:RALPH_CONTROL_TOKEN}' },
    oauth: false,
    enabled: true,
    // `complete_story` runs the checks before it answers.
    timeout: timeoutMs,
  };
}
