import { readText, remove, runCommand, stat, writeAtomic } from '../../../platform/index.ts';
import type { ActionInput } from './scenario-schema.ts';
import { asTool, Failed, inWorkTree, Mistake, type Stage, say, type ToolCall } from './stage.ts';

/** The actions on files. Paths are relative to the work tree; parent folders are made. */

export function write(input: ActionInput<'write'>, stage: Stage): Promise<void> {
  return asTool(stage, fileCall('Write', input.path), input.path, async () => {
    await put(input.path, input.content);
    return 'written';
  });
}

export function append(input: ActionInput<'append'>, stage: Stage): Promise<void> {
  return asTool(stage, fileCall('Edit', input.path), input.path, async () => {
    await put(input.path, ((await readText(inWorkTree(input.path))) ?? '') + input.content);
    return 'appended';
  });
}

export function edit(input: ActionInput<'edit'>, stage: Stage): Promise<void> {
  return asTool(stage, fileCall('Edit', input.path), input.path, async () => {
    const before = await readOrMistake(input.path);
    if (!before.includes(input.replace)) throw new Mistake(`'${input.replace}' is not in ${input.path}`);
    await put(
      input.path,
      before.replace(input.replace, () => input.with),
    );
    return 'edited';
  });
}

export function deletePath(path: ActionInput<'delete'>, stage: Stage): Promise<void> {
  return asTool(stage, { tool: 'Bash', input: { command: `rm -rf '${path}'` } }, `rm -rf ${path}`, async () => {
    await remove(inWorkTree(path));
    return 'deleted';
  });
}

/** A tool call on a file of the work tree. */
function fileCall(tool: 'Write' | 'Edit', path: string): ToolCall {
  return { tool, input: { file_path: inWorkTree(path) } };
}

async function readOrMistake(path: string): Promise<string> {
  const content = await readText(inWorkTree(path));
  if (content === null) throw new Mistake(`${path} does not exist`);
  return content;
}

/** Replaces a file's content and keeps its mode, as an editor does. */
async function put(path: string, content: string): Promise<void> {
  const full = inWorkTree(path);
  const mode = (await stat(full))?.mode;
  await writeAtomic(full, content, { fsync: false, ...(mode === undefined ? {} : { mode: mode & 0o7777 }) });
}

/** The actions by which an agent claims something, true or not: nothing here follows the rules. */

/** Sets and increases fields of a story in a `tasks.json`; of the current story unless another is named. */
export function story(input: ActionInput<'story'>, stage: Stage): Promise<void> {
  const { backlog } = stage.script;
  const id = input.id ?? stage.script.storyId;
  return asTool(stage, fileCall('Edit', backlog), backlog, async () => {
    const file = JSON.parse(await readOrMistake(backlog)) as { userStories?: Record<string, unknown>[] };
    const found = file.userStories?.find((candidate) => candidate['id'] === id);
    if (!found) throw new Mistake(`${backlog} has no story ${id}`);
    Object.assign(found, input.set);
    for (const [field, by] of Object.entries(input.increase)) found[field] = Number(found[field] ?? 0) + by;
    await put(backlog, `${JSON.stringify(file, null, 2)}\n`);
    return `${id}: ${[...Object.keys(input.set), ...Object.keys(input.increase)].join(', ')}`;
  });
}

/** Ticks the first open box of a Markdown plan whose line contains the text; the default text is the story's id. */
export function tick(input: ActionInput<'tick'>, stage: Stage): Promise<void> {
  const { backlog, storyId } = stage.script;
  const wanted = input.text ?? storyId;
  return asTool(stage, fileCall('Edit', backlog), backlog, async () => {
    const lines = (await readOrMistake(backlog)).split('\n');
    const index = lines.findIndex((line) => line.includes('[ ]') && line.includes(wanted));
    if (index === -1) throw new Mistake(`${backlog} has no open box with '${wanted}'`);
    await put(backlog, lines.map((line, i) => (i === index ? line.replace('[ ]', '[x]') : line)).join('\n'));
    return `ticked ${wanted}`;
  });
}

/** Appends a line to the progress log. */
export function progress(text: ActionInput<'progress'>, stage: Stage): Promise<void> {
  return asTool(stage, fileCall('Edit', stage.script.progress), stage.script.progress, async () => {
    const before = await readOrMistake(stage.script.progress);
    await put(
      stage.script.progress,
      `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${text.trimEnd()}\n`,
    );
    return 'appended';
  });
}

/** Says a status block with these fields, in their order. */
export async function status(fields: ActionInput<'status'>, stage: Stage): Promise<void> {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  say(stage, ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n'));
}

/** The actions that start programs. They run as an agent's do: in a shell, in the work tree, with its environment. */

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

/** Leaves a process behind; `detached` puts it in its own session, where a signal to the process group misses it. */
export function background(input: ActionInput<'background'>, stage: Stage): Promise<void> {
  return asTool(stage, bash(`${input.run} &`), `${input.run} &`, async () => {
    const start = `${input.detached ? 'setsid ' : ''}sh -c "$1" </dev/null >/dev/null 2>&1 &`;
    await shell(['-c', start, 'sh', input.run]);
    return 'started';
  });
}

/** The agent's own commit of everything, with hooks skipped: the worst case of an agent's commit. */
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
  /** All of its output. */
  readonly printed: string;
  /** The last line of its output. */
  readonly output: string;
}

/** Runs `sh` with these arguments. */
async function shell(args: readonly string[]): Promise<Shown> {
  const { exitCode, stdout, stderr } = await runCommand('sh', args, { cwd: process.cwd() });
  const printed = Buffer.concat([stdout, stderr]).toString('utf8').trim();
  return { exitCode, printed, output: printed.split('\n').at(-1) ?? '' };
}
