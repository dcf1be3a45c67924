/** What templates put where a person is meant to write: `[describe …]`, `{{name}}`, `TBD`, an empty bullet. What is longer is a text. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\[[^\]\n]{0,500}\](?!\()/g,
  /\{\{?[^}\n]{0,500}\}\}?/g,
  /\b(?:tbd|todo|n\/a)\b/gi,
];

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const HEADING = /^ {0,3}#{1,6}(?:[ \t].*)?$/gm;
const FRONT_MATTER = /^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * Has anybody written into this PRD, or is it still a template? Front matter, comments, headings and placeholders do
 * not count; a single word of one's own does.
 */
export function hasPrdContent(text: string): boolean {
  const bare = text
    .replace(/^\ufeff/, '')
    .replace(FRONT_MATTER, '')
    .replace(COMMENT, '')
    .replace(HEADING, '');
  return /[\p{L}\p{N}]/u.test(PLACEHOLDERS.reduce((rest, placeholder) => rest.replace(placeholder, ''), bare));
}
