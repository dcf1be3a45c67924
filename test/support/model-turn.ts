export interface ToolUse {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the model says in one request's answer. */
export interface Speech {
  readonly text?: string;
  readonly tools?: readonly ToolUse[];
  /** Replaces single fields of the made-up usage. */
  readonly usage?: Readonly<Record<string, number>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Silence before the answer, milliseconds. */
  readonly delayMs?: number;
}

/** An HTTP error in the provider's form. */
export interface Refusal {
  readonly status: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * `hang`: the stream begins and falls silent · `empty`: an answer without content · `drop`: the connection closes
 * before an answer · `cut`: it closes in the middle of one.
 */
export interface Fault {
  readonly fault: 'hang' | 'empty' | 'drop' | 'cut';
}

export type Turn = string | Speech | Refusal | Fault;
