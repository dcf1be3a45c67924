import type { SaidFinding } from '../../../contracts/model.ts';

/** Share of the words of both that two claims about one file must have in common to be the same finding. */
const SAME_WORDS = 0.75;
/** Claims of fewer words are the same only when they are equal: a word more or less is another claim then. */
const FEWEST_WORDS = 4;

/**
 * The id of a finding: a fingerprint of file, criterion and claim. Letter case, spacing, punctuation, line numbers and
 * the file's own name within the claim do not matter.
 */
export function findingId({ file, criterion, claim }: SaidFinding): string {
  const parts = [file ?? '', normal(criterion ?? ''), normalClaim(claim, file)];
  return `F-${hash(parts.join('\n')).toString(16).padStart(8, '0')}`;
}

/**
 * Whether two findings say the same in other words. Careful rather than clever: what turns a claim round (numbers, names
 * in the code, negations) must be the same, and so must the file.
 */
export function isSameFinding(a: SaidFinding, b: SaidFinding): boolean {
  if (a.file !== b.file) return false;
  const [one, other] = [normalClaim(a.claim, a.file), normalClaim(b.claim, b.file)];
  if (one === other) return true;
  if (meaningOf(withoutLabel(a.claim), one) !== meaningOf(withoutLabel(b.claim), other)) return false;
  const [left, right] = [wordsOf(one), wordsOf(other)];
  if (left.size < FEWEST_WORDS || right.size < FEWEST_WORDS) return false;
  const common = [...left].filter((word) => right.has(word)).length;
  return common / (left.size + right.size - common) >= SAME_WORDS;
}

/** Words of a text that carry something: no articles and the like, no plural. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = normal(text)
    .split(' ')
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word));
  return new Set(words.map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)));
}

const EMPTY_WORDS: ReadonlySet<string> = new Set(
  'a an the is are was were be been to of in on at for and or it its this that these those there with as by so still again also'.split(
    ' ',
  ),
);

function normalClaim(claim: string, file: string | null): string {
  const bare = withoutLabel(claim);
  const without = file === null ? bare : bare.replaceAll(file, ' ');
  return normal(
    without
      .replace(/\b(?:lines?|ln)\s*\d+(?:\s*(?:-|–|to|and)\s*\d+)?/giu, ' ')
      .replace(/[:#]L?\d+(?:[-:]L?\d+)*/gu, ' '),
  );
}

const LABEL = new RegExp(
  `^[\\s*_[(]*(?:${[
    '(?:finding|issue|problem|point|criterion|criteria|AC|bug)\\s*#?\\d{1,2}',
    '(?:still |again )?(?:not (?:yet )?|un)(?:fixed|resolved|addressed|mended|done)(?: yet)?',
    'still (?:open|there|present|broken|failing|wrong|missing|an issue)',
    'open|again|unchanged|remaining|remains|repeated|as before|from the last review|new',
    'critical|blocker|major|minor|severe|high|medium|low|nit|must[- ]fix|p[0-4]|error|warning|bug',
  ].join('|')})[\\s*_\\])]*(?:\\([^)\\n]*\\)[\\s*_]*)?[:–—-][\\s*_]*`,
  'iu',
);

/** A claim without what stands before it: `Finding 1:`, `Not fixed:`, `**Major**:`. The same finding, however it is announced. */
export function withoutLabel(claim: string): string {
  let bare = claim;
  for (let label = LABEL.exec(bare); label !== null && label[0].length < bare.length; label = LABEL.exec(bare))
    bare = bare.slice(label[0].length);
  return bare;
}

/** Words in lower case with one space between them: no letter case, punctuation or layout. */
export function normal(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** What turns a claim round: its numbers in order, names as they stand in code, and whether it denies. */
function meaningOf(claim: string, normalised: string): string {
  const numbers = normalised.match(/(?<!\p{L})\d+/gu) ?? [];
  const names = claim.match(/`[^`]+`|\b[a-z]+[A-Z]\w*|\b\w+_\w+/g) ?? [];
  const denies = /\b(?:not|no|never|none|nothing|without|cannot|missing)\b|n['’]t\b/i.test(claim);
  return JSON.stringify([numbers, names.map((name) => name.replaceAll('`', '')), denies]);
}

/** FNV-1a, 32 bits. Not for secrets: it only keeps the findings of one story apart. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
