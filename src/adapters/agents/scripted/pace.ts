import { setTimeout as wait } from 'node:timers/promises';
import { exists } from '../../../platform/files/files.ts';
import { addUsage } from '../../../rules/usage.ts';
import type { ActionInput } from './scenario-schema.ts';
import { emit, inWorkTree, Mistake, type Stage } from './stage.ts';

const POLL_MS = 20;
const FLOOD_CHUNK = 64 * 1024;
const FLOOD_LINE = 1024;

/** The actions that cost time, tokens or patience, and the one that looks at the prompt. */

export async function sleep(ms: ActionInput<'sleep'>): Promise<void> {
  await wait(ms);
}

/** Waits until a test, or another agent, makes the file. */
export async function waitForFile(path: ActionInput<'wait-for-file'>): Promise<void> {
  while (!(await exists(inWorkTree(path)))) await wait(POLL_MS);
}

export async function usage(input: ActionInput<'usage'>, stage: Stage): Promise<void> {
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
export async function flood(input: ActionInput<'flood'>): Promise<void> {
  const line = input.lines ? `${'#'.repeat(FLOOD_LINE - 1)}\n` : '#'.repeat(FLOOD_LINE);
  const chunk = line.repeat(FLOOD_CHUNK / FLOOD_LINE);
  for (let left = input.bytes; left > 0; left -= chunk.length) process.stdout.write(chunk.slice(0, left));
  // The next line must be readable again.
  process.stdout.write('\n');
}

export async function expectPrompt(text: ActionInput<'expect-prompt'>, stage: Stage): Promise<void> {
  if (!stage.prompt.includes(text)) throw new Mistake(`the prompt does not say '${text}'`);
}
