import { setTimeout as wait } from 'node:timers/promises';
import type { ProviderLimit } from '../../../contracts/index.ts';
import { exists } from '../../../platform/index.ts';
import { addUsage } from '../../../rules/text/index.ts';
import { append, background, commit, deletePath, edit, progress, run, status, story, tick, write } from './files.ts';
import type { Action, ActionInput, ActionName } from './scenario-schema.ts';
import { emit, inWorkTree, Mistake, type Stage, say } from './stage.ts';

/** What each action does. */
const PERFORMERS: { readonly [Name in ActionName]: (input: ActionInput<Name>, stage: Stage) => Promise<void> } = {
  say: async (text, stage) => say(stage, text),
  status,
  write,
  append,
  edit,
  delete: deletePath,
  run,
  background,
  commit,
  story,
  tick,
  progress,
  tool,
  'expect-prompt': expectPrompt,
  usage,
  sleep,
  'wait-for-file': waitForFile,
  hang,
  'ignore-term': ignoreTerm,
  flood,
  limit,
  fail,
  crash,
  empty,
};

/** Plays actions in order until one ends the performance; a mistake in the script ends it as a crash that names it. */
export async function perform(actions: readonly Action[], stage: Stage): Promise<void> {
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

/** The actions that cost time or tokens, and the one that checks the prompt. */

async function sleep(ms: ActionInput<'sleep'>): Promise<void> {
  await wait(ms);
}

/** Waits until a test, or another agent, creates the file. */
async function waitForFile(path: ActionInput<'wait-for-file'>): Promise<void> {
  while (!(await exists(inWorkTree(path)))) await wait(POLL_MS);
}

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

async function expectPrompt(text: ActionInput<'expect-prompt'>, stage: Stage): Promise<void> {
  if (!stage.prompt.includes(text)) throw new Mistake(`the prompt does not say '${text}'`);
}

/** The actions by which an agent ends badly, or does not end. */

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

async function fail(input: ActionInput<'fail'>, stage: Stage): Promise<void> {
  stage.ending = { error: input, limit: null };
}

/** Ends with success and an empty answer, even if something was said before. */
async function empty(_input: ActionInput<'empty'>, stage: Stage): Promise<void> {
  stage.said.length = 0;
  stage.ending = { error: null, limit: null };
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

async function ignoreTerm(): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
}
