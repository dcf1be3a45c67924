import type { HookAnswer, HookEvent } from './api.ts';

/** How a hook call arrived, where that is not today's format. */
export interface ParseOptions {
  /** Older clients: `tool_output` for `tool_response`, `stop_reason` for why a session ended. */
  readonly legacy?: boolean;
  /** Name of the event where the payload has none: the command line gave it. */
  readonly name?: string;
}

/** A JSON object, as an answer is printed or sent. */
export type WireAnswer = Readonly<Record<string, unknown>>;

/** Reads a hook call of Claude Code's. What is missing or of a wrong type is empty. Never throws. */
export function parseHook(payload: unknown, options: ParseOptions = {}): HookEvent {
  const fields = objectOf(payload);
  const legacy = options.legacy === true;
  return {
    name: textOf(fields['hook_event_name']) || (options.name ?? ''),
    session: textOf(fields['session_id']),
    transcript: textOf(fields['transcript_path']),
    cwd: textOf(fields['cwd']),
    subagent: textOf(fields['agent_id']),
    tool: textOf(fields['tool_name']),
    input: objectOf(fields['tool_input']),
    response: fields['tool_response'] ?? (legacy ? fields['tool_output'] : undefined),
    error: textOf(fields['error']),
    prompt: textOf(fields['prompt']),
    source: textOf(fields['source']) || textOf(fields['reason']) || (legacy ? textOf(fields['stop_reason']) : ''),
  };
}

/** The events at which the client hands `additionalContext` to the model. At a Stop it would keep the agent going. */
const TAKES_CONTEXT: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
]);

/** The events at which `decision: "block"` means something. */
const TAKES_BLOCK: ReadonlySet<string> = new Set(['PostToolUse', 'UserPromptSubmit', 'Stop', 'SubagentStop']);

/**
 * An answer in today's format. What the event cannot express goes the nearest way it can: a refusal after a failed
 * tool becomes context. Anything else is `{}`, which lets the agent go on.
 */
export function renderAnswer(event: HookEvent, answer: HookAnswer): WireAnswer {
  if (answer.kind === 'allow') return {};
  const text = answer.kind === 'context' ? answer.text : answer.reason;
  const hookEventName = event.name;
  if (answer.kind !== 'context' && hookEventName === 'PreToolUse') {
    return { hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason: text } };
  }
  if (answer.kind !== 'context' && TAKES_BLOCK.has(hookEventName)) return { decision: 'block', reason: text };
  return TAKES_CONTEXT.has(hookEventName) ? { hookSpecificOutput: { hookEventName, additionalContext: text } } : {};
}

/** An answer in the older format: `decision`, and the same words as `reason` and `message`. */
export function renderLegacy(answer: HookAnswer): WireAnswer {
  if (answer.kind === 'allow') return {};
  if (answer.kind === 'context') return { message: answer.text };
  return { decision: 'block', reason: answer.reason, message: answer.reason };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
