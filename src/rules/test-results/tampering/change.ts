import { beyond } from './bags.ts';

/** One file of a change. A rename is a deletion and an addition. */
export interface FileChange {
  /** Relative to the work tree, with forward slashes. */
  readonly path: string;
  /** null: the file was absent. */
  readonly before: string | null;
  /** null: the file is absent now. */
  readonly after: string | null;
}

type Kind =
  | 'test-deleted'
  | 'test-skipped'
  | 'test-only-selected'
  | 'assertion-removed'
  | 'assertion-weakened'
  | 'threshold-loosened'
  | 'check-neutralised'
  | 'ci-changed'
  | 'snapshot-changed'
  | 'hidden-from-diff';

/** A `TamperFinding` of the contracts. */
export interface Finding {
  readonly kind: Kind;
  readonly path: string;
  readonly line: number;
  readonly detail: string;
  readonly severity: 'high' | 'low';
}

export type Severity = Finding['severity'];

/** The later matches of a pattern that a text has beyond those of another text, counted by their content. */
export function newMatches(pattern: RegExp, before: string, after: string): readonly RegExpExecArray[] {
  return beyond([...after.matchAll(pattern)], [...before.matchAll(pattern)], ([match]) => flat(match));
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

/** A match as shown to a reviewer. */
export const shown = (text: string, length = 80): string => `\`${flat(text).slice(0, length)}\``;

/** The line of a match's first character that is not white space. */
export function lineOf(text: string, match: RegExpExecArray): number {
  return linesOf(text)(startOf(match));
}

/** Offset of a match's first character that is not white space. */
export function startOf({ 0: match, index }: RegExpExecArray): number {
  return index + match.search(/\S|$/);
}

/** A configuration without comment-only lines; offsets stay. */
export function withoutCommentLines(text: string): string {
  return text.replace(/^[ \t]*(?:#(?!!\[)|\/\/|;).*$/gm, (line) => ' '.repeat(line.length));
}

/** Returns the 1-based line of an offset; called often, so the text is scanned only once. */
export function linesOf(text: string): (offset: number) => number {
  const newlines = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [low, high] = [0, newlines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((newlines[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
