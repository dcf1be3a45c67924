import { FAILING, OPEN_WORK, OVERCOME, STUCK, TESTED } from './indicators.ts';
import { COMPLETION, COMPLETION_KEYWORDS, type Family, type Keyword, STRONG, WEIGHTS } from './keywords.ts';
import type { Span } from './quotations.ts';
import { type Sentence, sentences } from './sentences.ts';
import { standingOf } from './standing.ts';

/** What the words of an agent amount to. */
export interface Weighed {
  /** 0 and up. */
  readonly confidence: number;
  /** Words of completion were said, of the whole work or without saying of what. */
  readonly completion: boolean;
  /** The whole work was called finished, and nothing speaks against it. */
  readonly claims: boolean;
  /** The sentence that says that the agent cannot go on; null when none does. */
  readonly stuck: string | null;
  /** It says that work is left. */
  readonly open: boolean;
  /** It speaks of running or writing tests. */
  readonly tested: boolean;
  /** It says that tests fail. */
  readonly failing: boolean;
}

/** What claims are worth at most in a text that also says that work is left, tests fail or the agent is stuck. */
const DOUBTED = 50;

/** From here on an agent is stuck. */
const SURELY_STUCK = 100;

/** Weighs the keywords of a prose. Linear in its length. */
export function weigh(prose: string): Weighed {
  const said = statements(prose);
  const families = familiesIn(said, COMPLETION_KEYWORDS);
  const isOpen = said.some(leavesWork);
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

/** Whether a prose calls the whole work finished in one of these phrases, and speaks of no work that is left. */
export function claimsOutright(prose: string, keywords: readonly Keyword[]): boolean {
  const said = statements(prose);
  return !said.some(leavesWork) && [...familiesIn(said, keywords)].some((family) => STRONG.has(family));
}

/** With a limit, as a row of question marks would be tried from each of them. */
const QUESTION = /\?[!?)]{0,20}$/;

/** All but the questions. */
function statements(prose: string): readonly Sentence[] {
  return sentences(prose).filter(({ text }) => !QUESTION.test(text));
}

function familiesIn(said: readonly Sentence[], keywords: readonly Keyword[]): ReadonlySet<Family> {
  const found = new Set<Family>();
  for (const sentence of said) {
    // The same words are evidence once: `all stories of the backlog are done` says nothing of the backlog besides.
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

function leavesWork({ text, unticked }: Sentence): boolean {
  return unticked || OPEN_WORK.some((pattern) => isMeant(text, pattern));
}

function saysFailing({ text }: Sentence): boolean {
  return !OVERCOME.test(text) && FAILING.some((pattern) => isMeant(text, pattern));
}

function stuckIn(said: readonly Sentence[]): string | null {
  let total = 0;
  let worst: { readonly text: string; readonly weight: number } | null = null;
  for (const { text } of said) {
    for (const { pattern, weight } of STUCK) {
      if (!isMeant(text, pattern) || OVERCOME.test(text)) continue;
      total += weight;
      if (worst === null || weight > worst.weight) worst = { text, weight };
    }
  }
  return total >= SURELY_STUCK ? (worst?.text ?? null) : null;
}

/** Does the sentence say this, without a no or a condition before it in the same clause? */
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
