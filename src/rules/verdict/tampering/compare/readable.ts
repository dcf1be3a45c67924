const LONGEST = 80;

/** Tokens as people write code: without the blanks that keep them apart. Cut short. */
export function readable(tokens: string): string {
  const text = tokens.replace(/ (?=[.,;:)\]([])|(?<=[.([!]) /g, '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
