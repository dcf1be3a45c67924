import { normal } from './sentences.ts';
import { anyOf, words } from './vocabulary.ts';

/** Does this sentence make what comes after it something that is not said, or not yet, or only talked about? */
export function isMention(sentence: string): boolean {
  const text = normal(sentence);
  if (NOT_SAID.some((pattern) => pattern.test(text))) return true;
  return LATER.test(text) && !NOW.test(text);
}

/** Does this sentence speak about the tag, or about saying something? */
export function isAboutSaying(sentence: string): boolean {
  return ABOUT_SAYING.test(normal(sentence));
}

/** Does this sentence take back what was said before it? */
export function takesBack(sentence: string): boolean {
  return TAKES_BACK.test(normal(sentence));
}

const NOT_SAID: readonly RegExp[] = [
  // Denied: a bare `no` is none, as in `no story is left:`.
  anyOf(
    words("not never cannot refuse without yet premature(?:ly)? false fake isnt dont wont cant havent \\w+n't"),
    'instead of',
    'rather than',
  ),
  // Under a condition.
  anyOf(
    words('if when whenever until unless only provided assuming then later eventually'),
    'once(?! (?:more|again))',
    '(?:before|after)(?! [\\w-]+ing)',
    'as soon as',
  ),
  // Shown, demanded, or the words of others.
  anyOf(
    words(
      'examples? e\\.g format template syntax placeholder sample expect(?:s|ed)? should must supposed possible options? ' +
        'choices? either means? called named reserved unused prevents? contains? says said tells? wants? asks? prompt',
    ),
    '(?<!(?:can|now|to|i) )say',
    '(?<!as )(?:instructed|asked|told|requested|required)',
    '(?:your|the|these) instructions?',
    "(?:this|that|here)(?: is|'s) (?:what|how)",
    'looks? like',
    'such as',
    'for instance',
    'stands for',
    'keeps? me',
    'one of',
    'ends? with (?:this|the (?:line|tag))',
  ),
];

const LATER = anyOf(
  words("will shall would could might may gonna \\w+'(?:ll|d)"),
  'going to',
  '(?:plan|want|need|ha(?:ve|s)) to',
);

/** What makes a future present: `I will now say:`. */
const NOW = anyOf(words('now therefore hereby since because'));

/** Narrow on purpose: outputs, signals and promises are also what programs are made of. */
const ABOUT_SAYING = anyOf(
  '(?:the|this|that) (?:tag|marker)',
  '(?:completion|promise|final|exit|end) (?:tag|promise|marker|signal|token|phrase|line)',
  '(?:repl(?:y|ies)|responds?|answers?|ends?) with',
  "(?:i|will|shall|would|must|should|to|please|then|\\w+'(?:ll|d)) (?:then |simply |just )?(?:output|emit|print|write|say)",
);

const TAKES_BACK = new RegExp(
  [
    '^(?:(?:sorry|oops|hmm|well|no|ok(?:ay)?)[,.:!]? )?(?:',
    [
      '(?:wait|hold on|oops|sorry|hmm|correction|just kidding|never ?mind)\\b',
      '(?:scratch|strike) that\\b',
      'actually,? (?:no|not|wait|that|there|i)\\b',
      'not (?:yet|really)\\b',
      'no, ',
      '(?:please )?(?:ignore|disregard) (?:that|this|the)\\b',
      '(?:that|this|the (?:(?:line|tag|promise) )?above|the (?:above )?(?:tag|promise)) (?:is|was|were) (?:only |just )?' +
        '(?:not|an? (?:example|mention|mistake|template|placeholder|test|quot\\w+)|premature|wrong|meant as|for illustration)',
    ].join('|'),
    ')',
  ].join(''),
);
