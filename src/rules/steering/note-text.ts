/** Bytes of UTF-8 that a note or an answer may have: it is to be read within a prompt, not instead of one. */
export const LONGEST_NOTE = 64 * 1024;

/**
 * Controls other than line break and tab, and the characters that reorder the text around them: they would reach
 * terminals and prompts, where nobody sees what they do.
 */
const UNSAFE = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** What keeps a person's text from being passed on, as the end of a sentence; null when nothing does. */
export function noteProblem(text: string): string | null {
  if (text.trim() === '') return 'is empty';
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > LONGEST_NOTE) return `has ${bytes} bytes; ${LONGEST_NOTE} are the most`;
  const unsafe = UNSAFE.exec(text);
  return unsafe === null
    ? null
    : `holds the control character ${codePointOf(unsafe[0])} at position ${unsafe.index + 1}`;
}

/** `\u001b` → `U+001B` */
function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
