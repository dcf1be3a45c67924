import { runCommand } from '../../../platform/run-command.ts';
import type { ActionInput } from './scenario-schema.ts';
import { asTool, Failed, Mistake, type Stage } from './stage.ts';

/** The actions that start programs. They run as an agent's do: by a shell, in the work tree, with its environment. */

export function run(input: ActionInput<'run'>, stage: Stage): Promise<void> {
  return asTool(stage, 'Bash', input.command, async () => {
    const { exitCode, output } = await shell(['-c', input.command]);
    const summary = `exit ${exitCode}${output ? `: ${output}` : ''}`;
    const asExpected = input.expect === 'any' || (input.expect === 'ok') === (exitCode === 0);
    if (!asExpected)
      throw new Mistake(`expected to ${input.expect === 'ok' ? 'succeed' : 'fail'}: ${input.command} (${summary})`);
    return exitCode === 0 ? summary : new Failed(summary);
  });
}

/** Leaves a process behind; `detached` in a session of its own, where a signal to the process group misses it. */
export function background(input: ActionInput<'background'>, stage: Stage): Promise<void> {
  return asTool(stage, 'Bash', `${input.run} &`, async () => {
    const start = `${input.detached ? 'setsid ' : ''}sh -c "$1" </dev/null >/dev/null 2>&1 &`;
    await shell(['-c', start, 'sh', input.run]);
    return 'started';
  });
}

/** The agent's own commit of everything, hooks skipped: the worst that an agent does. */
export function commit(message: ActionInput<'commit'>, stage: Stage): Promise<void> {
  return asTool(stage, 'Bash', `git commit -m ${message}`, async () => {
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

/** Runs `sh` with these arguments; `output` is the last line it printed. */
async function shell(args: readonly string[]): Promise<{ exitCode: number | null; output: string }> {
  const { exitCode, stdout, stderr } = await runCommand('sh', args, { cwd: process.cwd() });
  const printed = Buffer.concat([stdout, stderr]).toString('utf8').trim();
  return { exitCode, output: printed.split('\n').at(-1) ?? '' };
}
