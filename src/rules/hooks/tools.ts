import type { HookEvent } from './api.ts';

/** What a tool call would do, as far as hooks care. A path is as the agent gave it; empty when it gave none. */
export type ToolUse =
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'read' | 'search' | 'write'; readonly path: string }
  | { readonly kind: 'other' };

interface ToolSpec {
  readonly kind: 'shell' | 'read' | 'search' | 'write';
  /** Name of the input that holds the command or the path. */
  readonly input: string;
}

const TOOLS: ReadonlyMap<string, ToolSpec> = new Map([
  ['Bash', { kind: 'shell', input: 'command' }],
  ['Read', { kind: 'read', input: 'file_path' }],
  ['NotebookRead', { kind: 'read', input: 'notebook_path' }],
  ['Grep', { kind: 'search', input: 'path' }],
  ['Edit', { kind: 'write', input: 'file_path' }],
  ['MultiEdit', { kind: 'write', input: 'file_path' }],
  ['Write', { kind: 'write', input: 'file_path' }],
  ['NotebookEdit', { kind: 'write', input: 'notebook_path' }],
]);

/** What the tool of a hook call does. */
export function toolUse(event: HookEvent): ToolUse {
  const spec = TOOLS.get(event.tool);
  const value = spec && event.input[spec.input];
  if (spec === undefined || typeof value !== 'string') return { kind: 'other' };
  return spec.kind === 'shell' ? { kind: 'shell', command: value } : { kind: spec.kind, path: value };
}
