import { resolve } from 'node:path';
import type { AgentError, AgentEvent, ProviderLimit } from '../../../contracts/agent.ts';
import { NO_USAGE, type Usage } from '../../../contracts/model.ts';
import { exists } from '../../../platform/files/files.ts';
import { denialIn, type Inside, openInside } from './inside.ts';
import type { Script } from './script.ts';

/** A script that cannot be carried on as written: text to replace is not there, a command did not do as expected. */
export class Mistake extends Error {}

/** A tool call that failed as the script meant it to. */
export class Failed {
  readonly summary: string;
  /** All that it printed, as a client reports it: `Exit code 1`, then the output. */
  readonly output: string;
  constructor(summary: string, output: string) {
    this.summary = summary;
    this.output = output;
  }
}

/** How a performance ends. */
export interface Ending {
  readonly error: AgentError | null;
  readonly limit: ProviderLimit | null;
}

/** A tool call as a hook sees it. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the actions share while a script is played. */
export interface Stage {
  readonly script: Script;
  readonly prompt: string;
  /** The run's hooks and tools; null when the script does not ask, or nothing stands beside the agent. */
  readonly inside: Inside | null;
  /** Everything said so far; together the final message. */
  readonly said: string[];
  usage: Usage;
  costUsd: number;
  toolCalls: number;
  /** Set by an action that ends the performance. */
  ending: Ending | null;
}

export function openStage(script: Script, prompt: string): Stage {
  const inside = openInside(process.env, script.sessionId, process.cwd());
  return { script, prompt, inside, said: [], usage: NO_USAGE, costUsd: 0, toolCalls: 0, ending: null };
}

/** Prints one event. Writing to a pipe is synchronous on POSIX, so nothing is lost when the process ends. */
export function emit(event: AgentEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

export function say(stage: Stage, text: string): void {
  stage.said.push(text);
  emit({ type: 'text', text });
}

/**
 * Shows `work` as a tool call with its result: what it returns, or the mistake it ended in. With hooks, the run is
 * asked first; what it denies is not done, and the script goes on like an agent that was told so.
 */
export async function asTool(
  stage: Stage,
  call: ToolCall,
  summary: string,
  work: () => Promise<string | Failed>,
): Promise<void> {
  stage.toolCalls += 1;
  const id = `call-${stage.toolCalls}`;
  emit({ type: 'tool-call', id, name: call.tool, summary });
  try {
    const denial = await askBefore(stage, call, id);
    if (denial !== null) return emit({ type: 'tool-result', id, ok: false, summary: denial });
    const result = await work();
    await tellAfter(stage, call, id, result);
    if (result instanceof Failed) emit({ type: 'tool-result', id, ok: false, summary: result.summary });
    else emit({ type: 'tool-result', id, ok: true, summary: result });
  } catch (error) {
    emit({ type: 'tool-result', id, ok: false, summary: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** What it will change it reads first, as agents do. */
async function askBefore(stage: Stage, { tool, input }: ToolCall, id: string): Promise<string | null> {
  const hooks = stage.script.hooks ? stage.inside : null;
  if (!hooks) return null;
  const file = input['file_path'];
  if (typeof file === 'string' && (await exists(file))) {
    await hooks.hook('PostToolUse', { tool_name: 'Read', tool_input: { file_path: file }, tool_use_id: `${id}-read` });
  }
  return denialIn(await hooks.hook('PreToolUse', { tool_name: tool, tool_input: input, tool_use_id: id }));
}

async function tellAfter(stage: Stage, { tool, input }: ToolCall, id: string, result: string | Failed): Promise<void> {
  const hooks = stage.script.hooks ? stage.inside : null;
  const fields = { tool_name: tool, tool_input: input, tool_use_id: id };
  if (result instanceof Failed) await hooks?.hook('PostToolUseFailure', { ...fields, error: result.output });
  else await hooks?.hook('PostToolUse', { ...fields, tool_response: { stdout: result, stderr: '' } });
}

/** A path of the script as the file system knows it: relative to the work tree, which is the working folder. */
export function inWorkTree(path: string): string {
  return resolve(path);
}
