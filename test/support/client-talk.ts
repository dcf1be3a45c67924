import type { ModelRequest } from './model-server.ts';
import type { ToolUse } from './model-turn.ts';

/** Tool calls as a scripted model asks the real client for them. */
export const bash = (command: string): ToolUse => ({ name: 'Bash', input: { command } });

export const edit = (file_path: string, old_string: string, new_string: string): ToolUse => ({
  name: 'Edit',
  input: { file_path, old_string, new_string },
});

/** What the model was told since its last answer: results of tools and words of hooks. */
export function toldIn(request: ModelRequest): string {
  const last = request.messages.findLastIndex(({ role }) => role === 'assistant');
  return JSON.stringify(request.messages.slice(last + 1));
}

/** A last message that says that the work is finished, with these lines in its status block. */
export function status(...lines: readonly string[]): string {
  return [
    'What I did is in the diff.',
    '',
    '---RALPH_STATUS---',
    'STATUS: COMPLETE',
    'EXIT_SIGNAL: true',
    ...lines,
    '---END_RALPH_STATUS---',
  ].join('\n');
}
