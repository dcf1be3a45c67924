/** A Markdown fence that stands open. */
export interface Fence {
  readonly mark: string;
  readonly length: number;
  /** Fences open, with those inside this one. */
  readonly depth: number;
}

/** The fence that a line opens, without the space around it; null when it opens none. */
export function openedBy(trimmed: string): Fence | null {
  const found = fenceOf(trimmed);
  return found === null ? null : { ...found, depth: 1 };
}

/**
 * What is open after one more line. A fence with a language inside another one opens a second, as its writer means it,
 * though renderers see none.
 */
export function afterLine(fence: Fence, trimmed: string): Fence | null {
  const found = fenceOf(trimmed);
  if (found === null || found.mark !== fence.mark || found.length < fence.length) return fence;
  const depth = fence.depth + (trimmed.length > found.length ? 1 : -1);
  return depth === 0 ? null : { ...fence, depth };
}

function fenceOf(trimmed: string): Pick<Fence, 'mark' | 'length'> | null {
  const run = /^(?:`{3,}|~{3,})/.exec(trimmed)?.[0];
  if (run === undefined) return null;
  // A backtick after the run makes it inline code.
  if (run.startsWith('`') && trimmed.includes('`', run.length)) return null;
  return { mark: run.charAt(0), length: run.length };
}
