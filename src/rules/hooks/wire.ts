import { fieldsOf } from '../../contracts/index.ts';
import type { HookAnswer, HookEvent } from './api.ts';

/** How a hook call arrived, where that differs from today's format. */
export interface ParseOptions {
  /** Older clients: `tool_output` for `tool_response`, `stop_reason` for the reason a session ended. */
  readonly legacy?: boolean;
  /** The event name for a payload without one, from the command line. */
  readonly name?: string;
}

type WireAnswer = Readonly<Record<string, unknown>>;

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads a hook call of Claude Code. JsonObject that are missing or of the wrong type are empty. Never throws. */
export function parseHook(payload: unknown, { legacy = false, name = '' }: ParseOptions = {}): HookEvent {
  const call = fieldsOf(payload);
  return {
    name: words(call['hook_event_name']) || name,
    session: words(call['session_id']),
    transcript: words(call['transcript_path']),
    cwd: words(call['cwd']),
    subagent: words(call['agent_id']),
    tool: words(call['tool_name']),
    input: fieldsOf(call['tool_input']),
    response: call['tool_response'] ?? (legacy ? call['tool_output'] : undefined),
    error: words(call['error']),
    prompt: words(call['prompt']),
    source: words(call['source']) || words(call['reason']) || (legacy ? words(call['stop_reason']) : ''),
  };
}

/** The events at which the client gives `additionalContext` to the model. At a Stop it would keep the agent going. */
const TAKES_CONTEXT: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
]);

/** The events at which `decision: "block"` has a meaning. */
const TAKES_BLOCK: ReadonlySet<string> = new Set(['PostToolUse', 'UserPromptSubmit', 'Stop', 'SubagentStop']);

/**
 * An answer in today's format. An answer that the event cannot express becomes the nearest one it can: a refusal after
 * a failed tool becomes context. Anything else is `{}`, which lets the agent continue.
 */
export function renderAnswer(event: HookEvent, answer: HookAnswer): WireAnswer {
  if (answer.kind === 'allow') return {};
  const { text } = answer;
  const hookEventName = event.name;
  if (answer.kind !== 'context' && hookEventName === 'PreToolUse') {
    return { hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason: text } };
  }
  if (answer.kind !== 'context' && TAKES_BLOCK.has(hookEventName)) return { decision: 'block', reason: text };
  return TAKES_CONTEXT.has(hookEventName) ? { hookSpecificOutput: { hookEventName, additionalContext: text } } : {};
}

/** An answer in the older format: `decision`, and the same text as `reason` and `message`. */
export function renderLegacy(answer: HookAnswer): WireAnswer {
  if (answer.kind === 'allow') return {};
  if (answer.kind === 'context') return { message: answer.text };
  return { decision: 'block', reason: answer.text, message: answer.text };
}

/** What a tool call would do, as far as hooks care. The path is unresolved; empty when the agent gave none. */
type ToolUse =
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'read' | 'search' | 'write'; readonly path: string }
  | { readonly kind: 'other' };

/** What a tool is to us, and the name of the input that holds its command or path. */
const TOOLS: ReadonlyMap<string, readonly [kind: Exclude<ToolUse['kind'], 'other'>, input: string]> = new Map([
  ['Bash', ['shell', 'command']],
  ['Read', ['read', 'file_path']],
  ['NotebookRead', ['read', 'notebook_path']],
  ['Grep', ['search', 'path']],
  ['Edit', ['write', 'file_path']],
  ['MultiEdit', ['write', 'file_path']],
  ['Write', ['write', 'file_path']],
  ['NotebookEdit', ['write', 'notebook_path']],
]);

export function toolUse(event: HookEvent): ToolUse {
  const [kind, input = ''] = TOOLS.get(event.tool) ?? [];
  const value = event.input[input];
  if (kind === undefined || typeof value !== 'string') return { kind: 'other' };
  return kind === 'shell' ? { kind, command: value } : { kind, path: value };
}
