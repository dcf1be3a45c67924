import { FAILING, OPEN_WORK, OVERCOME, STUCK, TESTED } from './indicators.ts';
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
  /** The sentence that says that the agent cannot go on; null without one. */
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
