import { afterLine, type Fence, openedBy } from './fences.ts';
import { beginsBlock, endsBlock } from './status-markers.ts';

/** The status block of a text, as it stands there. */
export interface FoundBlock {
  /** What stands between its markers; null without a complete block. */
  readonly lines: readonly string[] | null;
  /** Another one was begun that has no end, or may be an example or not: what its writer says at last is not known. */
  readonly isCut: boolean;
}

interface Begun {
  readonly at: number;
  readonly isFenced: boolean;
}

/**
 * The last complete block outside of fences. One in a fence is an example, but for a fence at the very end of a text
 * that has no other block: small models fence their own. A block quote is the word of others. Linear in the length.
 */
export function findBlock(text: string): FoundBlock {
  const lines = text.split(/\r\n|[\r\n]/);
  let fence: Fence | null = null;
  let begun: Begun | null = null;
  let own: readonly string[] | null = null;
  let fenced: { readonly lines: readonly string[]; readonly end: number } | null = null;
  for (const [i, line] of lines.entries()) {
    if (beginsBlock(line)) begun = { at: i, isFenced: fence !== null };
    else if (begun !== null && endsBlock(line)) {
      const between = lines.slice(begun.at + 1, i);
      if (begun.isFenced) fenced = { lines: between, end: i };
      else own = between;
      begun = null;
    } else if (begun === null || begun.isFenced) {
      // Outside of a block of its own: there a fence belongs to the feedback.
      const trimmed = line.trim();
      fence = fence === null ? openedBy(trimmed) : afterLine(fence, trimmed);
      if (fence === null) begun = null;
    }
  }
  const last = fenced !== null && lines.slice(fenced.end + 1).every(isNothingMore) ? fenced.lines : null;
  // In a fence that nothing closes, a last block is as likely an answer as an example.
  const isDisputed = own !== null && last !== null && fence !== null;
  return { lines: own ?? last, isCut: begun !== null || isDisputed };
}

/** A blank line, the end of a fence, or the promise. */
function isNothingMore(line: string): boolean {
  return /^[\s`~*_]*(?:<promise>[^<]*<\/promise>[\s*_.]*)?$/.test(line);
}
