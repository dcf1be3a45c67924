import { resolve } from 'node:path';
import type { AgentError, AgentEvent, ProviderLimit } from '../../../contracts/agent.ts';
import { NO_USAGE, type Usage } from '../../../contracts/model.ts';
import type { Script } from './script.ts';

/** A script that cannot be carried on as written: text to replace is not there, a command did not do as expected. */
export class Mistake extends Error {}

/** A tool call that failed as the script meant it to. */
export class Failed {
  readonly summary: string;
  constructor(summary: string) {
    this.summary = summary;
  }
}

/** How a performance ends. */
export interface Ending {
  readonly error: AgentError | null;
  readonly limit: ProviderLimit | null;
}

/** What the actions share while a script is played. */
export interface Stage {
  readonly script: Script;
  readonly prompt: string;
  /** Everything said so far; together the final message. */
  readonly said: string[];
  usage: Usage;
  costUsd: number;
  toolCalls: number;
  /** Set by an action that ends the performance. */
  ending: Ending | null;
}

export function openStage(script: Script, prompt: string): Stage {
  return { script, prompt, said: [], usage: NO_USAGE, costUsd: 0, toolCalls: 0, ending: null };
}

/** Prints one event. Writing to a pipe is synchronous on POSIX, so nothing is lost when the process ends. */
export function emit(event: AgentEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

export function say(stage: Stage, text: string): void {
  stage.said.push(text);
  emit({ type: 'text', text });
}

/** Shows `work` as a tool call with its result: what it returns, or the mistake it ended in. */
export async function asTool(
  stage: Stage,
  name: string,
  summary: string,
  work: () => Promise<string | Failed>,
): Promise<void> {
  stage.toolCalls += 1;
  const id = `call-${stage.toolCalls}`;
  emit({ type: 'tool-call', id, name, summary });
  try {
    const result = await work();
    if (result instanceof Failed) emit({ type: 'tool-result', id, ok: false, summary: result.summary });
    else emit({ type: 'tool-result', id, ok: true, summary: result });
  } catch (error) {
    emit({ type: 'tool-result', id, ok: false, summary: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** A path of the script as the file system knows it: relative to the work tree, which is the working folder. */
export function inWorkTree(path: string): string {
  return resolve(path);
}
