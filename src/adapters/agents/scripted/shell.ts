import { runCommand } from '../../../platform/process/run-command.ts';
import type { ActionInput } from './scenario-schema.ts';
import { asTool, Failed, Mistake, type Stage, type ToolCall } from './stage.ts';

/** The actions that start programs. They run as an agent's do: by a shell, in the work tree, with its environment. */

export function run(input: ActionInput<'run'>, stage: Stage): Promise<void> {
  return asTool(stage, bash(input.command), input.command, async () => {
    const { exitCode, output, printed } = await shell(['-c', input.command]);
    const summary = `exit ${exitCode}${output ? `: ${output}` : ''}`;
    const asExpected = input.expect === 'any' || (input.expect === 'ok') === (exitCode === 0);
    if (!asExpected)
      throw new Mistake(`expected to ${input.expect === 'ok' ? 'succeed' : 'fail'}: ${input.command} (${summary})`);
    return exitCode === 0 ? printed || summary : new Failed(summary, `Exit code ${exitCode}\n${printed}`);
  });
}

/** Leaves a process behind; `detached` in a session of its own, where a signal to the process group misses it. */
export function background(input: ActionInput<'background'>, stage: Stage): Promise<void> {
  return asTool(stage, bash(`${input.run} &`), `${input.run} &`, async () => {
    const start = `${input.detached ? 'setsid ' : ''}sh -c "$1" </dev/null >/dev/null 2>&1 &`;
    await shell(['-c', start, 'sh', input.run]);
    return 'started';
  });
}

/** The agent's own commit of everything, hooks skipped: the worst that an agent does. */
export function commit(message: ActionInput<'commit'>, stage: Stage): Promise<void> {
  return asTool(stage, bash(`git add -A && git commit -m '${message}'`), `git commit -m ${message}`, async () => {
    const { exitCode, output } = await shell([
      '-c',
      'git add -A && git commit --quiet --no-verify -m "$1"',
      'sh',
      message,
    ]);
    if (exitCode !== 0) throw new Mistake(`git commit failed: ${output}`);
    return 'committed';
  });
}

function bash(command: string): ToolCall {
  return { tool: 'Bash', input: { command } };
}

interface Shown {
  readonly exitCode: number | null;
  /** Everything it printed. */
  readonly printed: string;
  /** The last line of it. */
  readonly output: string;
}

/** Runs `sh` with these arguments. */
async function shell(args: readonly string[]): Promise<Shown> {
  const { exitCode, stdout, stderr } = await runCommand('sh', args, { cwd: process.cwd() });
  const printed = Buffer.concat([stdout, stderr]).toString('utf8').trim();
  return { exitCode, printed, output: printed.split('\n').at(-1) ?? '' };
}
