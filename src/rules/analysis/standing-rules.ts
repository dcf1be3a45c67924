import type { Family } from './keywords.ts';
import { anyOf, words } from './sentences.ts';

/** Words that negate a sentence, also as people type them without the apostrophe. */
const NEGATION = anyOf(
  words(
    'not never no none nothing nobody neither nor cannot hardly barely false untrue wrong premature(?:ly)? refused? deny ' +
      'denies denied doubt isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt cant wont wouldnt shouldnt',
  ),
  'far from|nowhere near',
  "\\w+n't",
  '[❌🚫⛔✖✗✘]',
);

const CONDITION = anyOf(
  words('if once when whenever until till unless before after whether provided assuming suppose supposing'),
  'as soon as|as long as|by the time|in case|only then|so that|in order',
);

/** Words that place something in the future, or make it a wish or a duty. */
const FUTURE = anyOf(
  words(
    'will shall would should must could might may gonna wish toward towards pending supposed need(?:s|ed)? wants? wanted ' +
      "hopes? hoping expect(?:s|ed|ing)? required? requires \\w+'(?:ll|d)",
  ),
  '(?:going|about|trying|try|ha(?:ve|s)) to|(?:plan|intend|aim)(?:s|n?ed|n?ing)? to',
  '(?:to|let me|let us) (?:be|verify|check|confirm|see|determine|get|have|reach|find out|mark|say|claim|complete|finish)',
  "let(?: me|'s| us)",
  '(?:make|making|be|being) sure|ensur(?:e|es|ing)|working (?:on|towards)|in progress',
);

/** How a phrase is said: outright, with a doubt, or about something that is untrue, not done yet, or only a part. */
export type Standing = 'outright' | 'hedged' | 'void';

export interface Surroundings {
  /** From the start of its clause up to it. */
  readonly before: string;
  readonly phrase: string;
  /** After it, to the end of its clause. */
  readonly after: string;
  /** After it, to the end of the sentence. */
  readonly rest: string;
  /** The whole sentence up to it. */
  readonly prefix: string;
  /** The heading or line that the sentence belongs to. */
  readonly lead: string;
}

export interface StandingRule {
  readonly where: readonly (keyof Surroundings)[];
  readonly patterns: readonly RegExp[];
  /** Absent: every family. */
  readonly families?: readonly Family[];
}

/** Families whose phrases are not negations themselves, unlike `nothing is left`. */
const POSITIVE: readonly Family[] = ['everything', 'whole', 'done', 'ready'];
const TOTALS: readonly Family[] = ['everything', 'whole'];

const PART = `(?:${words(
  'phase milestone story step task sprint section chapter iteration loop session round part stage item batch group epic ' +
    'module file function class component package page form tests? suite category frontend backend parser api',
)})`;
const OF = '(?:in|of|for|on|from|within|during|under|assigned to|scheduled for|planned for)';

/** What says that a phrase is untrue, not true yet, or only about a part. */
export const VOIDING: readonly StandingRule[] = [
  {
    where: ['before'],
    patterns: [
      CONDITION,
      NEGATION,
      FUTURE,
      // Other people's words.
      anyOf(
        words(
          'says? said states stated stating asserts? asserted mentions? mentioned claim(?:s|ed|ing)? pretend(?:s|ed|ing)? ' +
            'alleged supposedly allegedly reportedly called titled named',
        ),
        'you (?:think|believe|told|asked)|told me|according to',
        'the (?:phrase|words?|string|text|message|sentence|statement|line)',
      ),
    ],
  },
  {
    where: ['prefix'],
    patterns: [
      // A condition in an earlier clause extends across the comma; a point in time (`after the last fix, …`) is past.
      anyOf(
        words('if once unless assuming suppose supposing'),
        'as soon as|provided that|in case',
        "when(?:ever)? (?:[\\w'-]+ ){0,4}?(?:\\w+'(?:s|m|re)|is|am|are|has|have|pass|passes)",
      ),
      // One more day and it is done.
      /\b(?:(?:one|two|three|four|five|a few|a couple|some|\d{1,4}) (?:more|last|final|further)|another)\b[^.;:]{0,60}?(?:,|\band|\bthen) (?:then )?$/,
      // Orders and definitions.
      /(?:^|[,:;] )(?:verify|check|confirm|ensure|stop|exit|continue|repeat|loop|keep|say|write|output|print|reply|respond)\b/,
      anyOf(
        words('criterion goal aim purpose intention target example e\\.g i\\.e'),
        'definition of done|(?:exit|stop|end) condition|objective is|for instance',
      ),
    ],
  },
  {
    where: ['after'],
    patterns: [
      /^ ?(?:\w+ ){0,3}?(?:if|once|when|unless|until|as soon as|after|provided|assuming|by (?:then|tomorrow|the end|next))\b/,
      /^ ?(?:(?:is|was|would be|are) (?:\w+ )?(?:not|false|wrong|premature|untrue|an exaggeration|a lie|incorrect)\b|not\b|is what\b)/,
    ],
  },
  {
    where: ['phrase'],
    families: POSITIVE,
    patterns: [NEGATION, FUTURE],
  },
  {
    where: ['rest'],
    patterns: [
      // Taken back by what follows: `done: no`, `done - not yet`, `done, but wrongly`, `done (test name)`.
      /^ ?(?:[-–—:,(]|\.{3}|…) ?(?:(?:no|not|never|false|0)(?= ?(?:$|[.,;!)]))|not (?:yet|really|quite|true)\b|(?:wrong|pending|almost|nearly|soon|tbd|to-?do|in progress)\b)/,
      /\b(?:but|though|although|however|yet|which|and)\b[^.]{0,30}(?:\b(?:wrong(?:ly)?|false(?:ly)?|incorrect(?:ly)?|untrue|premature(?:ly)?|mistake\w*|outdated|not (?:true|so|really|yet|the case))\b|(?:that|they|it)(?:'s not| isn't| aren't| wasn't| weren't)\b)/,
      /^ ?\((?:as )?(?:an? |the )?(?:tests?|titles?|names?|labels?|examples?|samples?|quotes?|quoted|expected|strings?|headings?|texts?|messages?)\b/,
      // A case and its result.
      /^ ?(?:[-=]>|[→⇒]|==)/,
    ],
  },
  {
    where: ['lead'],
    patterns: [
      anyOf(
        words(
          'criteria criterion conditions? when if once until goals? objectives? to-?dos? definition instructions? rules? ' +
            'remaining next examples? plan plans planned expected should must needs? needed left open pending outstanding ' +
            'requirements questions? will names? titles? labels? messages? strings?',
        ),
        'test cases?',
      ),
    ],
  },
  {
    where: ['phrase', 'after'],
    patterns: [
      // Only a part.
      anyOf(
        words('but except excepting besides excluding minus'),
        '(?:apart|aside) from|other than|save for|so far|for (?:now|today|the moment)|until now',
        'up to (?:now|here|this point)',
      ),
      new RegExp(String.raw`\b${OF} (?:[\w\ufffc-]+ ){0,2}?${PART}\b`, 'u'),
      /\b(?:of|for|assigned to) (?:the )?(?:this|that|these|those|\ufffc)(?= ?(?:[^\w ]|$)| (?:is|are|has|have|was|were) )/,
    ],
  },
  {
    where: ['before', 'phrase', 'after'],
    patterns: [
      anyOf(
        words('almost nearly mostly partially partly half virtually practically largely [1-9]\\d?(?:\\.\\d+)?%'),
        'not quite|close to|just about',
      ),
      numbered(),
    ],
  },
  {
    where: ['phrase', 'after'],
    families: TOTALS,
    patterns: [new RegExp(`(?<![\\w'])${OF} (?:the )?\ufffc`)],
  },
  {
    where: ['phrase'],
    families: TOTALS,
    patterns: [
      anyOf(
        words(
          'that which who whose i we you(?!\\s(?:asked|requested|wanted)) he they previous other earlier small easy simple first high-priority low-priority ' +
            'critical important blocking assigned selected',
        ),
      ),
    ],
  },
  {
    where: ['before'],
    families: ['done'],
    patterns: [/\b(?:first|second|third|fourth|fifth|next|other|one|each|every|\d+) $/],
  },
];

/** What turns a phrase into a guess. */
export const HEDGING: StandingRule = {
  where: ['prefix', 'phrase', 'after'],
  patterns: [
    anyOf(
      words(
        'seems? seemingly appears? apparently probably maybe perhaps presumably hopefully likely possibly theoretically ' +
          'basically essentially',
      ),
      'looks? (?:like|as if|as though)|i (?:think|believe|guess|assume|suspect)|as far as i|in theory|pretty much',
      '(?:kind|sort) of|more or less',
    ),
  ],
};

/** `phase 1`, `us-003`, `step two`: one part, named by its number. */
function numbered(): RegExp {
  const number = String.raw`(?:\d{1,6}|[a-f]|one|two|three|four|\ufffc)`;
  return new RegExp(String.raw`\b(?:${PART}|us)[ -]?(?:#|no\.? )?${number}(?!\w)`);
}
