import { installed } from './installed.ts';

const BINARY = `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;

let known: ReturnType<typeof installed> | undefined;
let failure = '';

/**
 * Path of the real Claude Code binary (364 MB), installed on first use; null when it cannot be had here
 * ({@link whyNoClaude} says why).
 */
export async function claudeBinary(): Promise<string | null> {
  known ??= installed('claude-client', BINARY);
  const { path, why } = await known;
  failure = why ?? '';
  return path;
}

/** Why {@link claudeBinary} gave null. */
export function whyNoClaude(): string {
  return failure;
}
