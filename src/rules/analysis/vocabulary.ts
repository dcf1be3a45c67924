/** A pattern that matches any of these phrases as whole words. */
export function anyOf(...phrases: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<![\w'])(?:${phrases.join('|')})(?!\w)`, 'u');
}

/** One phrase for each word of a list; a word may be a pattern, such as `seems?`. */
export function words(list: string): string {
  return list.split(' ').join('|');
}

/** Words that negate a sentence, also as people type them without the apostrophe. */
export const NEGATION = anyOf(
  words(
    'not never no none nothing nobody neither nor cannot hardly barely false untrue wrong premature(?:ly)? refused? deny ' +
      'denies denied doubt isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt cant wont wouldnt shouldnt',
  ),
  'far from',
  'nowhere near',
  "\\w+n't",
  '[❌🚫⛔✖✗✘]',
);

export const CONDITION = anyOf(
  words('if once when whenever until till unless before after whether provided assuming suppose supposing'),
  'as soon as',
  'as long as',
  'by the time',
  'in case',
  'only then',
  'so that',
  'in order',
);

/** Words that place something in the future, or make it a wish or a duty. */
export const FUTURE = anyOf(
  words(
    'will shall would should must could might may gonna wish toward towards pending supposed need(?:s|ed)? wants? wanted ' +
      "hopes? hoping expect(?:s|ed|ing)? required? requires \\w+'(?:ll|d)",
  ),
  '(?:going|about|trying|try|ha(?:ve|s)) to',
  '(?:plan|intend|aim)(?:s|n?ed|n?ing)? to',
  '(?:to|let me|let us) (?:be|verify|check|confirm|see|determine|get|have|reach|find out|mark|say|claim|complete|finish)',
  "let(?: me|'s| us)",
  '(?:make|making|be|being) sure',
  'ensur(?:e|es|ing)',
  'working (?:on|towards)',
  'in progress',
);
