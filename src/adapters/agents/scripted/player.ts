import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { ProviderLimit } from '../../../contracts/index.ts';
import { exists, readText, remove, runCommand, stat, writeAtomic } from '../../../platform/index.ts';
import { addUsage } from '../../../rules/text/index.ts';
import type { Action, ActionInput, ActionName } from './parse-scenario.ts';
import {
  asTool,
  emit,
  Failed,
  inWorkTree,
  Mistake,
  openStage,
  type ResultLine,
  refusalIn,
  type Script,
  type Stage,
  say,
  type ToolCall,
} from './stage.ts';

/**
 * The scripted agent's program: `player SCRIPT.json`, the prompt on standard input, AgentEvents as JSON lines on
 * standard output, a `result` line at the end; exit 0, or 1 after a failure.
 */
async function play(path: string): Promise<void> {
  const source = await readText(path);
  if (source === null) throw new Error(`no script at ${path}`);
  const script = JSON.parse(source) as Script;
  const stage = openStage(script, await text(process.stdin));
  emit({ type: 'session', sessionId: script.sessionId, model: script.model, version: null });
  await performInside(script, stage);
  process.stdout.write(`${JSON.stringify(resultOf(stage))}\n`);
  process.exitCode = stage.ending?.error ? 1 : 0;
}

/** How many times a refused stop is tried: then the agent gives up, and the loop judges the state it left. */
const STOPS = 3;

async function performInside(script: Script, stage: Stage): Promise<void> {
  const hooks = script.hooks ? stage.inside : null;
  await hooks?.hook('UserPromptSubmit', { prompt: stage.prompt });
  await perform(script.actions, stage);
  if (!hooks) return;
  for (let stops = 1; stops <= STOPS && stage.ending === null; stops += 1) {
    const refusal = refusalIn(await hooks.hook('Stop', { last_assistant_message: stage.said.at(-1) ?? '' }));
    if (refusal === null || script.refused.length === 0) break;
    emit({ type: 'notice', text: refusal });
    await perform(script.refused, stage);
  }
  await hooks.hook('SessionEnd', { reason: 'other' });
}

function resultOf(stage: Stage): ResultLine {
  return {
    type: 'result',
    text: stage.said.join('\n\n'),
    usage: stage.usage,
    costUsd: stage.costUsd,
    turns: stage.toolCalls + 1,
    limit: stage.ending?.limit ?? null,
    error: stage.ending?.error ?? null,
  };
}

void play(process.argv[2] ?? 'script.json');

const PERFORMERS: { readonly [Name in ActionName]: (input: ActionInput<Name>, stage: Stage) => Promise<void> } = {
  say: async (text, stage) => say(stage, text),
  status: async (fields, stage) => {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
    say(stage, ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n'));
  },
  write: ({ path, content }, stage) =>
    onFile(stage, 'Write', path, async () => {
      await put(path, content);
      return 'written';
    }),
  append: ({ path, content }, stage) =>
    onFile(stage, 'Edit', path, async () => {
      await put(path, ((await readText(inWorkTree(path))) ?? '') + content);
      return 'appended';
    }),
  edit,
  delete: (path, stage) =>
    asTool(stage, bash(`rm -rf '${path}'`), `rm -rf ${path}`, async () => {
      await remove(inWorkTree(path));
      return 'deleted';
    }),
  run,
  background,
  commit,
  story,
  tick,
  progress,
  tool,
  'expect-prompt': async (text, { prompt }) => {
    if (!prompt.includes(text)) throw new Mistake(`the prompt does not say '${text}'`);
  },
  usage,
  sleep: (ms) => wait(ms),
  // Until a test, or another agent, creates the file.
  'wait-for-file': async (path) => {
    while (!(await exists(inWorkTree(path)))) await wait(POLL_MS);
  },
  hang,
  'ignore-term': async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  },
  flood,
  limit,
  fail: async (error, stage) => {
    stage.ending = { error, limit: null };
  },
  crash,
  // Success with an empty answer, even if there was output before.
  empty: async (_, stage) => {
    stage.said.length = 0;
    stage.ending = { error: null, limit: null };
  },
};

/** Plays actions in order until one ends the performance; a mistake in the script ends it as a crash that names it. */
async function perform(actions: readonly Action[], stage: Stage): Promise<void> {
  for (const [index, action] of actions.entries()) {
    try {
      await performOne(action, stage);
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      stage.ending = {
        error: { kind: 'crash', message: `action ${index + 1} (${action.name}): ${error.message}` },
        limit: null,
      };
    }
    if (stage.ending) return;
  }
}

function performOne<Name extends ActionName>(
  action: { readonly name: Name; readonly input: ActionInput<Name> },
  stage: Stage,
): Promise<void> {
  return PERFORMERS[action.name](action.input, stage);
}

/** Calls one of the run's tools. A refusal is the tool's answer, not the script's mistake. */
async function tool(input: ActionInput<'tool'>, stage: Stage): Promise<void> {
  if (!stage.inside) throw new Mistake('there is no run beside this agent: tools cannot be called');
  stage.toolCalls += 1;
  const id = `call-${stage.toolCalls}`;
  emit({ type: 'tool-call', id, name: input.name, summary: JSON.stringify(input.arguments) });
  const { text, ok } = await stage.inside.tool(input.name, input.arguments);
  emit({ type: 'tool-result', id, ok, summary: text });
}

const POLL_MS = 20;
const FLOOD_CHUNK = 64 * 1024;
const FLOOD_LINE = 1024;

async function usage(input: ActionInput<'usage'>, stage: Stage): Promise<void> {
  stage.usage = addUsage(stage.usage, {
    inputTokens: input.input,
    outputTokens: input.output,
    cacheReadTokens: input.cacheRead,
    cacheWriteTokens: input.cacheWrite,
  });
  stage.costUsd += input.cost;
  emit({ type: 'usage', usage: stage.usage, contextTokens: input.context, costUsd: stage.costUsd });
}

/** Prints noise: lines of 1 KiB, or one endless line. */
async function flood(input: ActionInput<'flood'>): Promise<void> {
  const line = input.lines ? `${'#'.repeat(FLOOD_LINE - 1)}\n` : '#'.repeat(FLOOD_LINE);
  const chunk = line.repeat(FLOOD_CHUNK / FLOOD_LINE);
  for (let left = input.bytes; left > 0; left -= chunk.length) process.stdout.write(chunk.slice(0, left));
  // The next line must be readable again.
  process.stdout.write('\n');
}

/** A warning is only reported; a rejection ends the performance. `in` counts from now. */
async function limit(input: ActionInput<'limit'>, stage: Stage): Promise<void> {
  const event: ProviderLimit = { status: input.status, kind: input.kind, resetsAt: resetTime(input) };
  emit({ type: 'limit', limit: event });
  if (event.status === 'rejected') {
    stage.ending = { error: { kind: 'limit', message: `usage limit reached: ${event.kind}` }, limit: event };
  }
}

function resetTime(input: ActionInput<'limit'>): number | null {
  if (input.resetsAt !== undefined) return Date.parse(input.resetsAt);
  return input.in === undefined ? null : Date.now() + input.in;
}

/** Ends the process at once, without a result. */
async function crash(input: ActionInput<'crash'>): Promise<void> {
  if ('exit' in input) process.exit(input.exit);
  process.kill(process.pid, input.signal);
  await hang();
}

async function hang(): Promise<void> {
  await new Promise(() => setInterval(() => undefined, 3_600_000));
}

/** An action on a file; its path is relative to the work tree, and parent folders are made. */
function onFile(stage: Stage, tool: 'Write' | 'Edit', path: string, work: () => Promise<string>): Promise<void> {
  return asTool(stage, { tool, input: { file_path: inWorkTree(path) } }, path, work);
}

function edit(input: ActionInput<'edit'>, stage: Stage): Promise<void> {
  return onFile(stage, 'Edit', input.path, async () => {
    const before = await readOrMistake(input.path);
    if (!before.includes(input.replace)) throw new Mistake(`'${input.replace}' is not in ${input.path}`);
    await put(
      input.path,
      before.replace(input.replace, () => input.with),
    );
    return 'edited';
  });
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
function story(input: ActionInput<'story'>, stage: Stage): Promise<void> {
  const { backlog } = stage.script;
  const id = input.id ?? stage.script.storyId;
  return onFile(stage, 'Edit', backlog, async () => {
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
function tick(input: ActionInput<'tick'>, stage: Stage): Promise<void> {
  const { backlog, storyId } = stage.script;
  const wanted = input.text ?? storyId;
  return onFile(stage, 'Edit', backlog, async () => {
    const lines = (await readOrMistake(backlog)).split('\n');
    const index = lines.findIndex((line) => line.includes('[ ]') && line.includes(wanted));
    if (index === -1) throw new Mistake(`${backlog} has no open box with '${wanted}'`);
    await put(backlog, lines.map((line, i) => (i === index ? line.replace('[ ]', '[x]') : line)).join('\n'));
    return `ticked ${wanted}`;
  });
}

function progress(text: ActionInput<'progress'>, stage: Stage): Promise<void> {
  const path = stage.script.progress;
  return onFile(stage, 'Edit', path, async () => {
    const before = await readOrMistake(path);
    await put(path, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${text.trimEnd()}\n`);
    return 'appended';
  });
}

/** The actions that start programs. They run as an agent's do: in a shell, in the work tree, with its environment. */

function run(input: ActionInput<'run'>, stage: Stage): Promise<void> {
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
function background(input: ActionInput<'background'>, stage: Stage): Promise<void> {
  return asTool(stage, bash(`${input.run} &`), `${input.run} &`, async () => {
    const start = `${input.detached ? 'setsid ' : ''}sh -c "$1" </dev/null >/dev/null 2>&1 &`;
    await shell(['-c', start, 'sh', input.run]);
    return 'started';
  });
}

/** The agent's own commit of everything, with hooks skipped: the worst case of an agent's commit. */
function commit(message: ActionInput<'commit'>, stage: Stage): Promise<void> {
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
  readonly printed: string;
  /** The last line of its output. */
  readonly output: string;
}

async function shell(args: readonly string[]): Promise<Shown> {
  const { exitCode, stdout, stderr } = await runCommand('sh', args, { cwd: process.cwd() });
  const printed = Buffer.concat([stdout, stderr]).toString('utf8').trim();
  return { exitCode, printed, output: printed.split('\n').at(-1) ?? '' };
}
