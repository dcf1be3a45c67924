import { resolve } from 'node:path';
import {
  type AgentError,
  type AgentEvent,
  messageOf,
  NO_USAGE,
  type ProviderLimit,
  type Usage,
} from '../../../contracts/index.ts';
import { exists } from '../../../platform/index.ts';
import type { Env } from '../port.ts';
import type { Action } from './parse-scenario.ts';

/** What the adapter hands to the player, as a JSON file. */
export interface Script {
  readonly sessionId: string;
  readonly model: string;
  readonly storyId: string;
  /** Relative to the work tree. */
  readonly backlog: string;
  readonly progress: string;
  readonly hooks: boolean;
  readonly actions: readonly Action[];
  readonly refused: readonly Action[];
}

/** The player's last line; the lines before it are plain AgentEvents. */
export interface ResultLine {
  readonly type: 'result';
  readonly text: string;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly turns: number;
  readonly limit: ProviderLimit | null;
  readonly error: AgentError | null;
}

/** A script that cannot continue: text to replace is missing, a command did not do what the script expects. */
export class Mistake extends Error {}

/** A tool call that failed as the script meant it to. */
export class Failed {
  readonly summary: string;
  /** All of its output, as a client reports it: `Exit code 1`, then the output. */
  readonly output: string;
  constructor(summary: string, output: string) {
    this.summary = summary;
    this.output = output;
  }
}

interface Ending {
  readonly error: AgentError | null;
  readonly limit: ProviderLimit | null;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Stage {
  readonly script: Script;
  readonly prompt: string;
  /** The run's hooks and tools; null when the script does not ask, or the agent has no control server. */
  readonly inside: Inside | null;
  /** Everything said so far; together they are the final message. */
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
 * asked first; a denied call is not made, and the script continues as an agent would.
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
    await callPostHook(stage, call, id, result);
    if (result instanceof Failed) emit({ type: 'tool-result', id, ok: false, summary: result.summary });
    else emit({ type: 'tool-result', id, ok: true, summary: result });
  } catch (error) {
    emit({ type: 'tool-result', id, ok: false, summary: messageOf(error) });
    throw error;
  }
}

/** It first reads the file it will change, as agents do. */
async function askBefore(stage: Stage, { tool, input }: ToolCall, id: string): Promise<string | null> {
  const hooks = stage.script.hooks ? stage.inside : null;
  if (!hooks) return null;
  const file = input['file_path'];
  if (typeof file === 'string' && (await exists(file))) {
    await hooks.hook('PostToolUse', { tool_name: 'Read', tool_input: { file_path: file }, tool_use_id: `${id}-read` });
  }
  return denialIn(await hooks.hook('PreToolUse', { tool_name: tool, tool_input: input, tool_use_id: id }));
}

async function callPostHook(
  stage: Stage,
  { tool, input }: ToolCall,
  id: string,
  result: string | Failed,
): Promise<void> {
  const hooks = stage.script.hooks ? stage.inside : null;
  const fields = { tool_name: tool, tool_input: input, tool_use_id: id };
  if (result instanceof Failed) await hooks?.hook('PostToolUseFailure', { ...fields, error: result.output });
  else await hooks?.hook('PostToolUse', { ...fields, tool_response: { stdout: result, stderr: '' } });
}

/** A path of the script for the file system: relative to the work tree, which is the working folder. */
export function inWorkTree(path: string): string {
  return resolve(path);
}

interface Inside {
  /** Calls a hook; an answer without meaning is an empty object. Throws when the run cannot be reached. */
  hook(event: string, fields: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  tool(name: string, args: Readonly<Record<string, unknown>>): Promise<{ readonly text: string; readonly ok: boolean }>;
}

/** The run that started this process; null when it has no control server. */
function openInside(env: Env, session: string, cwd: string): Inside | null {
  const url = env['RALPH_CONTROL_URL'];
  const token = env['RALPH_CONTROL_TOKEN'];
  if (!url || !token) return null;
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return JSON.parse(dataOf(await response.text())) as Record<string, unknown>;
  };
  return {
    hook: (event, fields) =>
      post('/hooks', { hook_event_name: event, session_id: session, transcript_path: '', cwd, ...fields }),
    async tool(name, args) {
      const params = { name, arguments: args };
      const answer = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const { content, isError } = (answer['result'] ?? {}) as ToolResult;
      const failure = answer['error'] as { readonly message?: string } | undefined;
      const text = content?.map((part) => part.text ?? '').join('\n') ?? failure?.message ?? 'no answer';
      return { text, ok: failure === undefined && isError !== true };
    },
  };
}

interface ToolResult {
  readonly content?: readonly { readonly text?: string }[];
  readonly isError?: boolean;
}

/** An MCP answer is JSON, or the last event of a stream that contains it. */
function dataOf(body: string): string {
  const data = body.split('\n').findLast((line) => line.startsWith('data:'));
  return data ? data.slice('data:'.length) : body;
}

/** Why the run denies a tool call; null when it lets it pass. */
function denialIn(answer: Readonly<Record<string, unknown>>): string | null {
  const output = answer['hookSpecificOutput'] as Readonly<Record<string, unknown>> | undefined;
  return output?.['permissionDecision'] === 'deny' ? String(output['permissionDecisionReason'] ?? 'denied') : null;
}

/** Why the agent may not stop yet; null when it may. */
export function refusalIn(answer: Readonly<Record<string, unknown>>): string | null {
  return answer['decision'] === 'block' ? String(answer['reason'] ?? 'refused') : null;
}
