import { COMPLETION, COMPLETION_KEYWORDS, type Family, type Keyword, STRONG, WEIGHTS } from './keywords.ts';
import type { Span } from './prose.ts';
import { type Sentence, sentences } from './sentences.ts';
import { HEDGING, type Standing, type StandingRule, type Surroundings, VOIDING } from './standing-rules.ts';

export interface Weighed {
  readonly confidence: number;
  /** The agent used words of completion, about the whole work or an unnamed part. */
  readonly completion: boolean;
  /** The agent called the whole work finished, and nothing contradicts it. */
  readonly claims: boolean;
  /** The sentence that says that the agent cannot continue; null without one. */
  readonly stuck: string | null;
  /** It says that work is left. */
  readonly open: boolean;
  readonly tested: boolean;
  readonly failing: boolean;
}

/** The maximum for claims in a text that also says that work is left, tests fail or the agent is stuck. */
const DOUBTED = 50;

const SURELY_STUCK = 100;

export function weigh(prose: string): Weighed {
  const said = statements(prose);
  const families = familiesIn(said, COMPLETION_KEYWORDS);
  const isOpen = said.some(namesOpenWork);
  const failing = said.some(saysFailing);
  const stuck = stuckIn(said);
  const isDoubted = isOpen || failing || stuck !== null;
  const sum = [...families].reduce((total, family) => total + WEIGHTS[family], 0);
  return {
    confidence: isDoubted ? Math.min(sum, DOUBTED) : sum,
    completion: [...families].some((family) => COMPLETION.has(family)),
    claims: !isDoubted && [...families].some((family) => STRONG.has(family)),
    stuck,
    open: isOpen,
    tested: said.some(({ text }) => TESTED.some((pattern) => pattern.test(text))),
    failing,
  };
}

/** Whether a text calls the whole work finished in one of these phrases, and mentions no work that is left. */
export function claimsOutright(prose: string, keywords: readonly Keyword[]): boolean {
  const said = statements(prose);
  return !said.some(namesOpenWork) && [...familiesIn(said, keywords)].some((family) => STRONG.has(family));
}

/** Bounded, because a row of question marks would be tried from each mark. */
const QUESTION = /\?[!?)]{0,20}$/;

/** All sentences except questions. */
function statements(prose: string): readonly Sentence[] {
  return sentences(prose).filter(({ text }) => !QUESTION.test(text));
}

function familiesIn(said: readonly Sentence[], keywords: readonly Keyword[]): ReadonlySet<Family> {
  const found = new Set<Family>();
  for (const sentence of said) {
    // The same words count once: `all stories of the backlog are done` makes no second claim about the backlog.
    const heard: Span[] = [];
    for (const keyword of keywords) {
      const match = found.has(keyword.family) ? null : keyword.pattern.exec(sentence.text);
      if (match === null) continue;
      const span = { start: match.index, end: match.index + match[0].length };
      if (heard.some(({ start, end }) => start < span.end && span.start < end)) continue;
      const standing = standingOf(sentence, match, keyword);
      if (standing === 'void') continue;
      heard.push(span);
      if (standing === 'outright') found.add(keyword.family);
      else if (COMPLETION.has(keyword.family)) found.add('done');
    }
  }
  return found;
}

function namesOpenWork({ text, unticked }: Sentence): boolean {
  return unticked || OPEN_WORK.some((pattern) => isMeant(text, pattern));
}

function saysFailing({ text }: Sentence): boolean {
  return !OVERCOME.test(text) && FAILING.some((pattern) => isMeant(text, pattern));
}

function stuckIn(said: readonly Sentence[]): string | null {
  let total = 0;
  let worst: { readonly text: string; readonly weight: number } | null = null;
  for (const { text } of said) {
    for (const [weight, patterns] of STUCK) {
      const meant = patterns.filter((pattern) => isMeant(text, pattern)).length;
      if (meant === 0 || OVERCOME.test(text)) continue;
      total += meant * weight;
      if (worst === null || weight > worst.weight) worst = { text, weight };
    }
  }
  return total >= SURELY_STUCK ? (worst?.text ?? null) : null;
}

/** Whether the sentence says this, without a negation or a condition before it in the same clause. */
function isMeant(text: string, pattern: RegExp): boolean {
  const match = pattern.exec(text);
  if (match === null) return false;
  const clause =
    text
      .slice(0, match.index)
      .split(/[,;:.]/)
      .at(-1) ?? '';
  return !UNSAID.test(clause);
}

const UNSAID =
  /\b(?:no|not|never|nothing|none|zero|without|if|when|whenever|unless|until|once|in case|whether|should i|instead of|optional(?:ly)?)\b|n't\b/;

function standingOf(sentence: Sentence, match: RegExpExecArray, { family }: Keyword): Standing {
  const around = surroundings(sentence, match);
  const applies = ({ where, patterns, families }: StandingRule) =>
    (families?.includes(family) ?? true) &&
    where.some((part) => patterns.some((pattern) => pattern.test(around[part])));
  if (VOIDING.some(applies)) return 'void';
  return applies(HEDGING) ? 'hedged' : 'outright';
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

/** The story that completes the rest: `with US-006 all stories are done` is about more than that story. */
const LAST_ONE =
  /^(?:now )?with (?:stor(?:y|ies) )?(?:[a-z]{1,8}-)?#?\d{1,6}(?: (?:done|merged|finished|complete|in place))?\b/;

/**
 * Tables of what an agent says besides completion: work is left, it is stuck, it tested. The rules of `keywords.ts`
 * apply: one sentence at a time, every gap bounded.
 */

const pattern = (parts: TemplateStringsArray, ...inner: readonly string[]) => new RegExp(String.raw(parts, ...inner));

const UNITS =
  '(?:tasks?|stor(?:y|ies)|items?|requirements?|features?|steps?|phases?|milestones?|to-?dos?|tickets?|criteria)';
const FINISHED = '(?:done|completed?|finished|implemented|ready|working)';
const SOME =
  '(?:[1-9]\\d{0,5}|one|two|three|four|five|six|seven|eight|nine|ten|several|some|many|most|half|a few|a couple|a lot)';
const LEFT = '(?:remaining|left|outstanding|pending|open|unfinished|to do|missing|incomplete|unimplemented|stubbed)';
const GAP = (words: number): string => String.raw`(?: (?!was |were |had )[^\s,;:()]+){0,${words}}?`;
const END = '(?= ?(?:$|[.,;:!)]))';

/** Phrases that say that work is left. A negated phrase (`no task is unfinished`) does not count. */
const OPEN_WORK: readonly RegExp[] = [
  // 3 tasks remain; there is a lot left to do; two are still open
  pattern`\b${SOME}${GAP(4)} (?:remain|remains|to go|left(?= to | in | for | open)|${LEFT}${END})(?!\w)`,
  pattern`\b(?:is|are|remains?|still|was left|were left) (?:still |yet |[a-z]{1,15}ly ){0,3}${LEFT}(?:${END}| to | in )`,
  // Remaining: …; next steps: …
  /^(?:what is left|what's left|what remains|remaining(?: [^\s:]+){0,3}|still (?:open|to do|missing|left)|left to do|to-?dos?|open (?:items|tasks)|outstanding|pending|(?:my )?next(?: steps?| up)?)[^:]{0,40}:/,
  /^(?:next,|next up\b|next i\b|next step is\b|now (?:on to|moving|for the (?:rest|remaining|next))|moving on to\b|on to\b|continuing (?:with|on)\b|(?:let me|let's|now i'll|now i will|now let me|now let's) (?:now )?(?:continue|proceed|move|implement|tackle)\b)/,
  /\bi(?:'ll| will| am going to|'m going to| shall) (?:now |then |next |also |still ){0,4}(?:continue|proceed|start|implement|work on|tackle|move on|pick (?:up|it up)|finish|complete|do|add|build|fix)\b/,
  /\b(?:in|for|until|to|with) (?:the |my |a )?(?:next|later|following|future) (?:iteration|loop|session|run|round|time)\b/,
  /\b(?:still|yet) (?:needs?|need to|have to|has to|must|to (?:do|be|implement|finish|write|add)|in progress|working on|failing|broken|not)\b/,
  /\b(?:have|has|had|is|are) yet to be\b|\bremains? to be\b|\bleft (?:for|until) (?:later|the next|tomorrow)\b/,
  // not done yet; has not been implemented; not all tasks are done; none of it is finished
  pattern`\b(?:is|are|has|have|am)(?:(?: still| just| been)? not|n't)(?: (?:yet|all|quite|been|fully|entirely|completely|really|even|anywhere|at all|near)){0,4} ${FINISHED}\b`,
  pattern`\b(?:'s|'m|'re) (?:still )?not (?:yet |all |quite |fully |entirely |completely ){0,4}${FINISHED}\b`,
  pattern`\b(?:isn't|aren't|hasn't|haven't|isnt|arent|hasnt|havent)${GAP(4)} ${FINISHED}\b`,
  pattern`\bnot (?:yet |all |every |everything |quite |fully |entirely |completely )+(?:[^\s,;:()]+ ){0,6}?${FINISHED}\b`,
  pattern`^not (?:yet )?${FINISHED}\b`,
  pattern`\b(?:none|nothing|neither|hardly any|few)(?: of)?${GAP(4)} (?:is|are|has been|have been) (?:[^\s,;:()]+ )?${FINISHED}\b`,
  // almost done; will be done; half-way
  pattern`\b(?:far from|nowhere near|not even close to|close to being|almost|nearly|mostly|partially|partly|half|about to be) (?:being )?(?:all )?(?:the )?(?:[^\s,;:()]+ )?${FINISHED}\b`,
  /\b(?:will|shall|should|must|could|might|to) (?:soon |then |all |eventually |now )?be (?:[^\s,;:()]+ )?(?:done|completed?|finished|implemented)\b/,
  /\b(?:work in progress|wip|(?:is|are|still|currently) (?:\w+ )?in progress|half-?way|not started|partially implemented|all but (?:the|a|one|two|three|\d))\b/,
  // ❌ exporter; exporter ⏳
  /^(?!.*[✅✔✓]).*(?:[❌⏳⌛🚧⬜☐🔲🔜✗✘])/u,
  // 3 of 7 tasks; task 3 of 7; 80 % done; only the first two stories are done
  pattern`\b(\d{1,4}) ?(?:\/|of|out of) ?(?:the )?(?!\1\b)\d{1,4} (?:[^\s,;:()]+ )?${UNITS}\b`,
  pattern`\b${UNITS}(?: (?:done|completed?|finished|progress))?:? #?(\d{1,4}) ?(?:\/|of|out of) ?(?!\1\b)\d{1,4}\b`,
  /\b(?!100\b)\d{1,2}(?:\.\d+)? ?% (?:of the |there|done|complete|completed|finished|implemented)/,
  pattern`\b(?:only|just) (?:the )?(?:first|${SOME})${GAP(4)} (?:is|are|has been|have been) ${FINISHED}\b`,
];

/** Phrases that say that the agent cannot continue, by the confidence each adds; 100 in total is certain. */
const STUCK: ReadonlyMap<number, readonly RegExp[]> = new Map([
  [
    100,
    [
      /\b(?:i'm|i am|we're|we are|am|still) (?:(?!not |never )\w+ )?(?:stuck|blocked|deadlocked)\b/,
      /\b(?:cannot|can't|can not|unable to|not able to|impossible to|impossible for me to) (?:\w+ )?(?:proceed|continue|go on|move forward|make (?:any |further )?progress|go any further|(?:complete|finish) (?:the|this) (?:task|story|work))\b/,
      /\b(?:going (?:around|round) in circles|dead end|giving up|i give up|no way forward|at a loss)\b/,
      /\b(?:needs?|requires?|waiting (?:for|on)) (?:\w+ ){0,3}?(?:human|manual|your|operator) (?:\w+ )?(?:help|input|intervention|decision|guidance|action|approval|attention|answer)\b/,
    ],
  ],
  [
    60,
    [
      /\b(?:keeps?|kept|continues to|still) (?:on )?(?:fail\w*|break\w*|crash\w*|hang\w*|timing out|happening)\b/,
      /\bthe same (?:\w+ )?(?:error|failure|problem|issue)(?: (?:again|as before|persists?|occurs?|remains?|keeps?))/,
      /\b(?:tried|attempted) (?:everything|(?:\w+ ){0,3}(?:times|approaches|ways|fixes))\b/,
      /\b(?:don't|do not) (?:know|see|understand) (?:how|why|what|a way)\b|\bno idea (?:how|why|what)\b/,
      /\b(?:i (?:do not|don't) have|no|missing|without|lack(?:ing|s)?) (?:\w+ )?(?:access|permissions?|credentials|api keys?|network)\b/,
    ],
  ],
  [
    40,
    [
      /\b(?:cannot|can't|unable to|failed to) (?:\w+ ){0,2}?(?:fix|resolve|find|install|reproduce|solve|run|build|connect)\b/,
    ],
  ],
]);

const OVERCOME =
  /\b(?:no longer|fixed|resolved|solved|unblocked|until i|at first|initially|previously|earlier|worked around|now (?:works|passes))\b/;

const TESTED: readonly RegExp[] = [
  /\b(?:ran|re-?ran|executed|running|run) (?:(?:all|the|full|whole|entire|unit|integration|e2e|existing|complete|\ufffc) ){0,4}(?:tests?|test suite|suite|specs?)\b/,
  /\b(?:all|\d+|the) (?:\w+ ){0,2}(?:tests?|specs?) (?:(?:are|is|now|still|all|have|has) ){0,4}(?:pass|passes|passed|passing|green)\b/,
  /\btests? (?:(?:all|still|now|are|is) ){0,4}(?:pass|passes|passed|passing|green)\b|\btest suite (?:passes|passed|is green)\b/,
  /\b(?:added|wrote|extended|improved|expanded|created|writing|adding) (?:\w+ ){0,4}(?:tests?|specs?|test cases?|coverage)\b/,
  /\b(?:increased|raised|improved) (?:\w+ ){0,3}coverage\b/,
];

/** Up to `words` words between tests and their failure, none of which says that they pass. */
const FAILS = (words: number): string =>
  String.raw`(?: (?!pass|no |none |0 |zero |never |nothing |is |are )[^\s,;:()]+){0,${words}}?`;

/** Phrases that say that tests fail now. `0 failed` says the opposite. */
const FAILING: readonly RegExp[] = [
  pattern`(?<![\d.])${SOME}(?: (?:of|out of) (?:the )?\d{1,6})?${FAILS(2)} (?:(?:is|are) )?(?:fail|fails|failed|failing|red)\b`,
  pattern`\b(?:tests?|specs?|suite)${FAILS(3)} (?:fails?|failed|failing|(?:are|is) (?:still )?(?:failing|red|broken)|(?:do|does|did)(?:n't| not) pass)\b`,
  /\b(?:failing|red|broken) (?:[^\s,;:()]+ )?(?:tests?|specs?|suite)\b/,
];
