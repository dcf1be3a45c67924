/** Tools an agent is given beside its own: the trusted way to claim. Every change is judged by the backlog's rules. */

/** A tool as MCP announces it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What the model reads. */
export interface ToolAnswer {
  readonly text: string;
  /** The call was refused or could not be carried out; `text` says why and what to do instead. */
  readonly isError: boolean;
}
