import { linesOf } from '../source/lines.ts';

/** Occurrences of a pattern that a text has beyond those of another, counted by what they say; the later ones. */
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

/** A match as a reviewer should see it. */
export const shown = (text: string): string => `\`${flat(text).slice(0, 80)}\``;

/** Line of the first character of a match that is not white space. */
export function lineOf(text: string, match: RegExpExecArray): number {
  return linesOf(text)(match.index + Math.max(0, match[0].search(/\S/)));
}

/** A configuration without lines that are only a comment; offsets stay. */
export function withoutCommentLines(text: string): string {
  return text.replace(/^[ \t]*(?:#(?!!\[)|\/\/|;).*$/gm, (line) => ' '.repeat(line.length));
}
