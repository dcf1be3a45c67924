import type { Keyword } from './keywords.ts';
import type { Sentence } from './sentences.ts';
import { STANDING_RULES, type Standing, type Surroundings } from './standing-rules.ts';

/** How the phrase that a keyword found in a sentence is meant. */
export function standingOf(sentence: Sentence, match: RegExpExecArray, { family }: Keyword): Standing {
  const around = surroundings(sentence, match);
  const rule = STANDING_RULES.find(
    ({ where, pattern, families }) =>
      (families?.includes(family) ?? true) && where.some((part) => pattern.test(around[part])),
  );
  return rule?.makes ?? 'outright';
}

function surroundings({ text, lead }: Sentence, { 0: phrase, index }: RegExpExecArray): Surroundings {
  const prefix = text.slice(0, index);
  const rest = text.slice(index + phrase.length);
  return {
    before: (prefix.split(CLAUSE_END).at(-1) ?? '').replace(NO_NEGATION, '').replace(LAST_ONE, ''),
    phrase,
    after: rest.split(CLAUSE_END, 1)[0] ?? '',
    rest,
    prefix,
    lead,
  };
}

const CLAUSE_END = /[,;:()—–]| - | (?:and|but|so|however|though|although|while|because|since|as) (?!well)/;

/** Words that only look like a negation. */
const NO_NEGATION = /\b(?:not only|no doubt|without (?:a )?doubt|no question|nothing less than|no wonder)\b/g;

/** The story that completes the rest: `with US-006 all stories are done` is about more than one. */
const LAST_ONE =
  /^(?:now )?with (?:stor(?:y|ies) )?(?:[a-z]{1,8}-)?#?\d{1,6}(?: (?:done|merged|finished|complete|in place))?\b/;
