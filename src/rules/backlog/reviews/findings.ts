import type { ReviewFinding, SaidFinding } from '../../../contracts/model.ts';
import { normal, wordsOf } from './fingerprint.ts';
import { isLeadIn, isPointless, pointsOf } from './points.ts';

/** More points than this of one review are one: nobody keeps a longer list apart. */
const MOST_FINDINGS = 50;
/** Share of a criterion's words that a claim must hold to be about it. */
const ABOUT_CRITERION = 0.6;

/**
 * The points of a review that were said as one text: the items of its lists (what is indented below an item belongs to
 * it), else its paragraphs. Headings and the sentence that leads to a list are none.
 */
export function findingsIn(feedback: string, criteria: readonly string[]): readonly SaidFinding[] {
  const points = pointsOf(feedback);
  const kept =
    points.length <= MOST_FINDINGS
      ? points
      : [...points.slice(0, MOST_FINDINGS - 1), points.slice(MOST_FINDINGS - 1).join('\n')];
  return kept.map((claim) => ({ file: fileIn(claim), criterion: criterionOf(claim, criteria), claim }));
}

/** Marks of lists, ticked boxes and frames of tables, whose text was a finding or is none. */
function withoutMarks(text: string): string {
  const lines = text.split('\n');
  const isFrame = (line = '') => /^\s*\|?[\s|:-]*-{3}[\s|:-]*$/.test(line);
  const left = lines.filter(
    (line, index) =>
      line === '' ||
      !(
        /^\s*(?:[-*+•]|\(?(?:\d+|[a-z])[.)])?(?:\s*\[ ?\])?\s*$/iu.test(line) ||
        /^\s*[-*+]\s+\[[xX✓]\]/.test(line) ||
        isFrame(line) ||
        isFrame(lines[index + 1]) ||
        /^\s*\|(?:[\s|]|\d+(?=\s*\|))*$/.test(line)
      ),
  );
  return left.join('\n').trim();
}

/** What a text of feedback says beyond these findings, e.g. the output of failing checks; empty when nothing. */
export function restOf(feedback: string, findings: readonly Pick<ReviewFinding, 'claim'>[]): string {
  // The longest first: one claim may be the beginning of another.
  const claims = findings.map(({ claim }) => claim).sort((a, b) => b.length - a.length);
  const rest = claims.reduce((text, claim) => text.replace(claim, ''), feedback);
  const left = withoutMarks(rest);
  return isLeadIn(left) || isPointless(left) ? '' : left;
}

/** Names have at most 100 characters here: a row of brackets would be tried from each of them to its end. */
const FILE =
  /(?<![\w:/.@-])((?:[\w@.()[\]-]{1,100}\/){0,30}[\w@.()[\]-]{0,100}[\w)\]]\.[A-Za-z][A-Za-z0-9]{0,9})(?::(\d+))?(?![\w/])/g;

/** The file a claim is about: the first path with a folder, a line, or in backticks. */
function fileIn(claim: string): string | null {
  const found = [...claim.matchAll(FILE)].find(
    ({ 0: whole, 1: path = '', 2: line, index }) =>
      path.includes('/') || line !== undefined || (claim[index - 1] === '`' && claim[index + whole.length] === '`'),
  );
  return found?.[1]?.replace(/^\.\//, '') ?? null;
}

/** The criterion that a claim names by its number, quotes, or whose words it holds. */
function criterionOf(claim: string, criteria: readonly string[]): string | null {
  const number = /\b(?:criterion|criteria|AC)\s*#?(\d{1,2})\b/i.exec(claim)?.[1];
  if (number !== undefined) return criteria[Number(number) - 1] ?? null;
  const quoted = quotedIn(claim, criteria);
  if (quoted !== null) return quoted;
  const said = wordsOf(claim);
  const scored = criteria.map((criterion) => {
    const words = [...wordsOf(criterion)];
    const common = words.filter((word) => said.has(word)).length;
    return { criterion, share: common < 2 ? 0 : common / words.length };
  });
  const best = scored.reduce<(typeof scored)[number] | null>(
    (top, one) => (one.share > (top?.share ?? 0) ? one : top),
    null,
  );
  return best !== null && best.share >= ABOUT_CRITERION ? best.criterion : null;
}

/** The one that stands in the claim as it is, else the only one that a quotation in it is part of. */
function quotedIn(claim: string, criteria: readonly string[]): string | null {
  const holds = (text: string, part: string) => part !== '' && ` ${normal(text)} `.includes(` ${normal(part)} `);
  const whole = criteria.filter((criterion) => normal(criterion).includes(' ') && holds(claim, criterion));
  const longest = whole.sort((a, b) => b.length - a.length)[0];
  if (longest !== undefined) return longest;
  for (const [, text = ''] of claim.matchAll(/["“”«»]([^"“”«»]{4,})["“”«»]/gu)) {
    const [one, ...others] = criteria.filter((criterion) => holds(criterion, text));
    if (one !== undefined && others.length === 0) return one;
  }
  return null;
}
