import { join } from 'node:path';
import { UsageError } from '../../../contracts/index.ts';
import { runCommand, writeAtomic } from '../../../platform/index.ts';
import { errorOfEnd, resultOf } from '../ends.ts';
import type { AgentAdapter, AgentAvailability, AgentCommand, AgentTask, Translator } from '../port.ts';

/** Any program: a shell command that gets the prompt and answers in plain text. */
export const command: AgentAdapter = {
  name: 'command',
  capabilities: { hooks: false, tools: false, cost: false, tokens: false, limits: false, budget: false, plain: true },
  environment: [],
  // Only its author knows what it needs: `isolation.allowHosts`, `read` and `write`, and `env.pass`.
  inside: { hosts: () => [], config: null, logins: [], seeds: {} },
  program: ({ command: { run } }) => (run === null ? null : programOf(run)),
  detect: (config) => detectCommand(config.command.run),
  command: shellCommand,
  translator: () => commandTranslator(),
};

async function shellCommand(task: AgentTask): Promise<AgentCommand> {
  const { run } = task.config.command;
  if (run === null) throw new UsageError({ what: "the agent 'command' needs a command", fix: [SET_IT] });
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

const SET_IT = 'set command.run in the configuration, e.g. "my-agent --yes < \\"$RALPH_PROMPT_FILE\\""';

const LOOK_UP_TIMEOUT_MS = 5_000;
/** A word that the shell takes literally. */
const PLAIN_WORD = /^[\w./+@%:,-]+$/;
const ASSIGNMENT = /^\w+=\S*$/;

/** Checks that a command is configured and that the shell knows its first word. The command itself is not run. */
async function detectCommand(run: string | null): Promise<AgentAvailability> {
  if (run === null) return unavailable('command.run is not set', SET_IT);
  const word = programOf(run);
  if (word === null) return { ok: true, version: null, detail: `sh -c '${run}'`, fix: '' };
  const { exitCode, stdout } = await runCommand('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', word], {
    cwd: process.cwd(),
    timeoutMs: LOOK_UP_TIMEOUT_MS,
  });
  if (exitCode !== 0) {
    return unavailable(
      `the shell does not know '${word}'`,
      `install '${word}', or name another program in command.run`,
    );
  }
  return { ok: true, version: null, detail: stdout.toString('utf8').trim(), fix: '' };
}

/** The program that a shell command starts; null where only the shell itself could tell. */
function programOf(run: string): string | null {
  const word = run
    .trim()
    .split(/\s+/)
    .find((candidate) => !ASSIGNMENT.test(candidate));
  return word !== undefined && PLAIN_WORD.test(word) ? word : null;
}

function unavailable(detail: string, fix: string): AgentAvailability {
  return { ok: false, version: null, detail, fix };
}

/** Characters of an answer that are kept: its end, where the conclusion is. */
const MAX_TEXT = 64 * 1024;
/** Characters of a line that become an event, and number of lines that do: a build log must not fill the event log. */
const MAX_LINE = 2_000;
const MAX_EVENTS = 2_000;

/** Exit codes of a shell that could not start a program: found but not executable, not found. */
const NOT_STARTED = new Set([126, 127]);

/** Takes every line as text of the agent. Success is exit 0 with any output at all. */
export function commandTranslator(): Translator {
  let text = '';
  let lines = 0;
  return {
    line(line) {
      text += `${line}\n`;
      // Cut rarely, so that the cost of a long output stays linear.
      if (text.length > 2 * MAX_TEXT) text = text.slice(-MAX_TEXT);
      lines += 1;
      if (lines > MAX_EVENTS + 1) return [];
      if (lines > MAX_EVENTS) return [{ type: 'notice', text: 'more output not shown' }];
      return [{ type: 'text', text: line.slice(0, MAX_LINE) }];
    },
    end(exit) {
      const answer = text.slice(-MAX_TEXT).trim();
      const error = errorOfEnd(exit, answer);
      const isMissing = error !== null && NOT_STARTED.has(exit.exitCode ?? 0);
      return resultOf(exit, { text: answer, error: isMissing ? { ...error, kind: 'unavailable' } : error });
    },
  };
}
