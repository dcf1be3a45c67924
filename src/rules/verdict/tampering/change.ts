/** Test tampering: what a change did to the tests and checks that judge it. Pure judgement of texts. */

/** One file of a change. A rename is a deletion and an addition. */
export interface FileChange {
  /** Relative to the work tree, with forward slashes. */
  readonly path: string;
  /** null: the file was absent. */
  readonly before: string | null;
  /** null: the file is absent now. */
  readonly after: string | null;
}

type TamperKind =
  | 'test-deleted'
  | 'test-skipped'
  /** `.only` and similar: every other test of the file no longer runs. */
  | 'test-only-selected'
  | 'assertion-removed'
  /** Still there, but it holds for any code, or nearly any. */
  | 'assertion-weakened'
  /** Coverage, tolerances, timeouts, retries, allowed warnings. */
  | 'threshold-loosened'
  /** A check still runs by name but refuses nothing any more, or less than before. */
  | 'check-neutralised'
  | 'ci-changed'
  | 'snapshot-changed'
  /** Attributes hide files from the diffs that a reviewer reads. */
  | 'hidden-from-diff';

export interface TamperFinding {
  readonly kind: TamperKind;
  readonly path: string;
  /** 1-based; in `after`, or in `before` for removed text. */
  readonly line: number;
  /** One sentence for a reviewer. */
  readonly detail: string;
  /** `high`: an honest change rarely does this. `low`: a reviewer should look, and will often find nothing wrong. */
  readonly severity: 'high' | 'low';
}

/** The later matches of a pattern that a text has beyond those of another text, counted by their content. */
export function newMatches(pattern: RegExp, before: string, after: string): readonly RegExpExecArray[] {
  const known = new Map<string, number>();
  for (const [match] of before.matchAll(pattern)) known.set(flat(match), (known.get(flat(match)) ?? 0) + 1);
  return [...after.matchAll(pattern)].filter(([match]) => {
    const count = known.get(flat(match)) ?? 0;
    known.set(flat(match), count - 1);
    return count <= 0;
  });
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

/** A match as shown to a reviewer. */
export const shown = (text: string): string => `\`${flat(text).slice(0, 80)}\``;

/** The line of a match's first character that is not white space. */
export function lineOf(text: string, match: RegExpExecArray): number {
  return linesOf(text)(match.index + Math.max(0, match[0].search(/\S/)));
}

/** A configuration without comment-only lines; offsets stay. */
export function withoutCommentLines(text: string): string {
  return text.replace(/^[ \t]*(?:#(?!!\[)|\/\/|;).*$/gm, (line) => ' '.repeat(line.length));
}

/** Returns the 1-based line of an offset; called often, so the text is scanned only once. */
export function linesOf(text: string): (offset: number) => number {
  const newlines: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) newlines.push(at);
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
