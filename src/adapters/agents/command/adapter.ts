import { join } from 'node:path';
import { UsageError } from '../../../contracts/errors.ts';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import type { AgentAdapter, AgentCommand, AgentTask } from '../port.ts';
import { detectCommand, programOf, SET_IT } from './detect.ts';
import { commandTranslator } from './translator.ts';

/** Any program: a shell command that gets the prompt and answers in plain text. */
export const command: AgentAdapter = {
  name: 'command',
  capabilities: { hooks: false, tools: false, cost: false, tokens: false, limits: false, budget: false },
  environment: [],
  // What it needs only its author knows: `isolation.allowHosts`, `read` and `write`, and `env.pass`.
  inside: { hosts: () => [], config: null, logins: [], seeds: {} },
  program: ({ command: { run } }) => (run === null ? null : programOf(run)),
  detect: (config) => detectCommand(config.command.run),
  command: shellCommand,
  translator: () => commandTranslator(),
};

/** Throws UsageError when the configuration names no command. */
async function shellCommand(task: AgentTask): Promise<AgentCommand> {
  const { run } = task.config.command;
  if (run === null) throw new UsageError({ what: "The agent 'command' needs a command", mend: [SET_IT] });
  const promptFile = join(task.tempDir, 'prompt.md');
  await writeAtomic(promptFile, task.prompt, { fsync: false, mode: 0o600 });
  return {
    file: '/bin/sh',
    args: ['-c', run],
    cwd: task.cwd,
    env: {
      ...task.env,
      RALPH_PROMPT_FILE: promptFile,
      ...(task.model === null ? {} : { RALPH_MODEL: task.model }),
    },
    stdin: task.prompt,
  };
}
