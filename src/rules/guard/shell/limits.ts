/** Longer texts are not parsed. Parsing and walking takes about a millisecond for each thousand characters. */
const LONGEST = 40_000;

/** Deeper nesting is not parsed: the parser looks at each level again from the level above. */
const DEEPEST = 60;

/** Here-documents are looked for from every line on: many of them take quadratic time. */
const MOST_HERE_DOCUMENTS = 60;

/** Whether a text is small enough to be parsed in the time that a guard has. Linear, without understanding the text. */
export function isParseable(text: string): boolean {
  if (text.length > LONGEST) return false;
  return text.split('<<').length - 1 <= MOST_HERE_DOCUMENTS && nestingOf(text) <= DEEPEST;
}

const OPENING = /^(\(|\{|if|for|while|until|case|select)$/;
const CLOSING = /^(\)|\}|fi|done|esac)$/;

/** At least how deep brackets and compound commands nest; backticks count for the escapes in front of them. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/[(){}]|\b(?:if|for|while|until|case|select|fi|done|esac)\b|\\{3,}/g)) {
    if (token.startsWith('\\')) deepest = Math.max(deepest, token.length > 15 ? DEEPEST + 1 : 0);
    else if (OPENING.test(token)) depth += 1;
    else if (CLOSING.test(token)) depth = Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
