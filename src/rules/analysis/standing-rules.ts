import type { Family } from './keywords.ts';
import { anyOf, CONDITION, FUTURE, NEGATION, words } from './vocabulary.ts';

/** How a phrase is said: outright, with a doubt, or as something that is not so, not yet, or only of a part. */
export type Standing = 'outright' | 'hedged' | 'void';

/** The parts of a sentence around a phrase. */
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
  /** What the sentence stands under. */
  readonly lead: string;
}

interface StandingRule {
  readonly where: readonly (keyof Surroundings)[];
  readonly pattern: RegExp;
  readonly makes: Exclude<Standing, 'outright'>;
  /** Absent: of every family. */
  readonly families?: readonly Family[];
}

/** Families whose phrases are no negations themselves, as `nothing is left` is one. */
const POSITIVE: readonly Family[] = ['everything', 'whole', 'done', 'ready'];
const TOTALS: readonly Family[] = ['everything', 'whole'];

const PART = `(?:${words(
  'phase milestone story step task sprint section chapter iteration loop session round part stage item batch group epic ' +
    'module file function class component package page form tests? suite category frontend backend parser api',
)})`;
const OF = '(?:in|of|for|on|from|within|during|under|assigned to|scheduled for|planned for)';

/** What takes a phrase its standing; the first match decides. */
export const STANDING_RULES: readonly StandingRule[] = [
  { makes: 'void', where: ['before'], pattern: CONDITION },
  // A condition in an earlier clause reaches over the comma; a point in time (`after the last fix, …`) is past.
  {
    makes: 'void',
    where: ['prefix'],
    pattern: anyOf(
      words('if once unless assuming suppose supposing'),
      'as soon as',
      'provided that',
      'in case',
      "when(?:ever)? (?:[\\w'-]+ ){0,4}?(?:\\w+'(?:s|m|re)|is|am|are|has|have|pass|passes)",
    ),
  },
  {
    makes: 'void',
    where: ['after'],
    pattern:
      /^ ?(?:\w+ ){0,3}?(?:if|once|when|unless|until|as soon as|after|provided|assuming|by (?:then|tomorrow|the end|next))\b/,
  },

  { makes: 'void', where: ['before'], pattern: NEGATION },
  { makes: 'void', where: ['phrase'], pattern: NEGATION, families: POSITIVE },
  {
    makes: 'void',
    where: ['after'],
    pattern:
      /^ ?(?:(?:is|was|would be|are) (?:\w+ )?(?:not|false|wrong|premature|untrue|an exaggeration|a lie|incorrect)\b|not\b|is what\b)/,
  },

  // Taken back in what follows: `done: no`, `done - not yet`, `done, but wrongly`, `done (test name)`.
  {
    makes: 'void',
    where: ['rest'],
    pattern:
      /^ ?(?:[-–—:,(]|\.{3}|…) ?(?:(?:no|not|never|false|0)(?= ?(?:$|[.,;!)]))|not (?:yet|really|quite|true)\b|(?:wrong|pending|almost|nearly|soon|tbd|to-?do|in progress)\b)/,
  },
  {
    makes: 'void',
    where: ['rest'],
    pattern:
      /\b(?:but|though|although|however|yet|which|and)\b[^.]{0,30}(?:\b(?:wrong(?:ly)?|false(?:ly)?|incorrect(?:ly)?|untrue|premature(?:ly)?|mistake\w*|outdated|not (?:true|so|really|yet|the case))\b|(?:that|they|it)(?:'s not| isn't| aren't| wasn't| weren't)\b)/,
  },
  {
    makes: 'void',
    where: ['rest'],
    pattern:
      /^ ?\((?:as )?(?:an? |the )?(?:tests?|titles?|names?|labels?|examples?|samples?|quotes?|quoted|expected|strings?|headings?|texts?|messages?)\b/,
  },
  // A case and what comes of it.
  { makes: 'void', where: ['rest'], pattern: /^ ?(?:[-=]>|[→⇒]|==)/ },

  { makes: 'void', where: ['before'], pattern: FUTURE },
  // One more day and it is done.
  {
    makes: 'void',
    where: ['prefix'],
    pattern:
      /\b(?:(?:one|two|three|four|five|a few|a couple|some|\d{1,4}) (?:more|last|final|further)|another)\b[^.;:]{0,60}?(?:,|\band|\bthen) (?:then )?$/,
  },
  { makes: 'void', where: ['phrase'], pattern: FUTURE, families: POSITIVE },
  // Orders and definitions.
  {
    makes: 'void',
    where: ['prefix'],
    pattern:
      /(?:^|[,:;] )(?:verify|check|confirm|ensure|stop|exit|continue|repeat|loop|keep|say|write|output|print|reply|respond)\b/,
  },
  {
    makes: 'void',
    where: ['prefix'],
    pattern: anyOf(
      words('criterion goal aim purpose intention target example e\\.g i\\.e'),
      'definition of done',
      '(?:exit|stop|end) condition',
      'objective is',
      'for instance',
    ),
  },
  {
    makes: 'void',
    where: ['lead'],
    pattern: anyOf(
      words(
        'criteria criterion conditions? when if once until goals? objectives? to-?dos? definition instructions? rules? ' +
          'remaining next examples? plan plans planned expected should must needs? needed left open pending outstanding ' +
          'requirements questions? will names? titles? labels? messages? strings?',
      ),
      'test cases?',
    ),
  },

  // What others say.
  {
    makes: 'void',
    where: ['before'],
    pattern: anyOf(
      words(
        'says? said states stated stating asserts? asserted mentions? mentioned claim(?:s|ed|ing)? pretend(?:s|ed|ing)? ' +
          'alleged supposedly allegedly reportedly called titled named',
      ),
      'you (?:think|believe|told|asked)',
      'told me',
      'according to',
      'the (?:phrase|words?|string|text|message|sentence|statement|line)',
    ),
  },

  // Only a part.
  {
    makes: 'void',
    where: ['phrase', 'after'],
    pattern: anyOf(
      words('but except excepting besides excluding minus'),
      '(?:apart|aside) from',
      'other than',
      'save for',
      'so far',
      'for (?:now|today|the moment)',
      'until now',
      'up to (?:now|here|this point)',
    ),
  },
  {
    makes: 'void',
    where: ['before', 'phrase', 'after'],
    pattern: anyOf(
      words('almost nearly mostly partially partly half virtually practically largely [1-9]\\d?(?:\\.\\d+)?%'),
      'not quite',
      'close to',
      'just about',
    ),
  },
  { makes: 'void', where: ['before', 'phrase', 'after'], pattern: numbered() },
  {
    makes: 'void',
    where: ['phrase', 'after'],
    pattern: new RegExp(String.raw`\b${OF} (?:[\w\ufffc-]+ ){0,2}?${PART}\b`, 'u'),
  },
  {
    makes: 'void',
    where: ['phrase', 'after'],
    pattern:
      /\b(?:of|for|assigned to) (?:the )?(?:this|that|these|those|\ufffc)(?= ?(?:[^\w ]|$)| (?:is|are|has|have|was|were) )/,
  },
  {
    makes: 'void',
    where: ['phrase', 'after'],
    families: TOTALS,
    pattern: new RegExp(`(?<![\\w'])${OF} (?:the )?\ufffc`),
  },
  {
    makes: 'void',
    where: ['phrase'],
    families: TOTALS,
    pattern: anyOf(
      words(
        'that which who whose i we you(?!\\s(?:asked|requested|wanted)) he they previous other earlier small easy simple first high-priority low-priority ' +
          'critical important blocking assigned selected',
      ),
    ),
  },
  {
    makes: 'void',
    where: ['before'],
    families: ['done'],
    pattern: /\b(?:first|second|third|fourth|fifth|next|other|one|each|every|\d+) $/,
  },

  {
    makes: 'hedged',
    where: ['prefix', 'phrase', 'after'],
    pattern: anyOf(
      words(
        'seems? seemingly appears? apparently probably maybe perhaps presumably hopefully likely possibly theoretically ' +
          'basically essentially',
      ),
      'looks? (?:like|as if|as though)',
      'i (?:think|believe|guess|assume|suspect)',
      'as far as i',
      'in theory',
      'pretty much',
      '(?:kind|sort) of',
      'more or less',
    ),
  },
];

/** `phase 1`, `us-003`, `step two`: one part by its number. */
function numbered(): RegExp {
  const number = String.raw`(?:\d{1,6}|[a-f]|one|two|three|four|\ufffc)`;
  return new RegExp(String.raw`\b(?:${PART}|us)[ -]?(?:#|no\.? )?${number}(?!\w)`);
}
