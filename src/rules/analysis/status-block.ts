import type { AcceptedFinding } from '../../contracts/index.ts';
import { afterLine, beginsBlock, endsBlock, type Fence, openedBy } from './markdown.ts';

/** What an agent says at the end of its answer, field by field; null where it gives no known value. */
export interface StatusBlock {
  readonly status: 'COMPLETE' | 'IN_PROGRESS' | 'BLOCKED' | null;
  readonly testsStatus: 'PASSING' | 'FAILING' | 'NOT_RUN' | null;
  readonly workType: 'IMPLEMENTATION' | 'TESTING' | 'DOCUMENTATION' | 'REFACTORING' | null;
  readonly review: 'APPROVED' | 'CHANGES_REQUESTED' | null;
  /** Everything from `FEEDBACK:` to the end of the block; empty when absent. */
  readonly feedback: string;
  readonly exitSignal: boolean | null;
  readonly recommendation: string;
  /** The work was done before this iteration: no change was needed. */
  readonly alreadyDone: boolean | null;
  /** With `alreadyDone`: commits, tests or files that show it. */
  readonly evidence: readonly string[];
  /** Weakened tests that a reviewer accepts: `1 reason; 2 reason`. */
  readonly acceptedFindings: readonly AcceptedFinding[];
}

export interface StatusReading {
  readonly block: StatusBlock | null;
  /** A block has no end, or its STATUS or EXIT_SIGNAL has no known value. */
  readonly isUnreadable: boolean;
}

/**
 * The last complete status block of a text, or null; see `findBlock` for where a block counts. A block without its end
 * marker (a truncated answer) is not complete. Case, emphasis, list marks and remarks in brackets make no difference.
 * An unknown value leaves its field null, so that an echoed template claims nothing. Linear in the length.
 */
export function parseStatusBlock(text: string): StatusBlock | null {
  return readStatus(text).block;
}

export function readStatus(text: string): StatusReading {
  const { lines, isCut } = findBlock(text);
  if (lines === null) return { block: null, isUnreadable: isCut };
  const fields = fieldsOf(lines);
  const block = {
    status: oneOf(fields.get('STATUS'), ['COMPLETE', 'IN_PROGRESS', 'BLOCKED']),
    testsStatus: oneOf(fields.get('TESTS_STATUS'), ['PASSING', 'FAILING', 'NOT_RUN']),
    workType: oneOf(fields.get('WORK_TYPE'), ['IMPLEMENTATION', 'TESTING', 'DOCUMENTATION', 'REFACTORING']),
    review: oneOf(fields.get('REVIEW'), ['APPROVED', 'CHANGES_REQUESTED']),
    feedback: fields.get('FEEDBACK') ?? '',
    exitSignal: flag(fields.get('EXIT_SIGNAL')),
    recommendation: fields.get('RECOMMENDATION') ?? '',
    alreadyDone: flag(fields.get('ALREADY_DONE')),
    evidence: listed(fields.get('EVIDENCE')),
    acceptedFindings: (fields.get('ACCEPTED_FINDINGS') ?? '').split(NEXT_NUMBER).flatMap(acceptance),
  };
  const isUnknown =
    (fields.has('STATUS') && block.status === null) || (fields.has('EXIT_SIGNAL') && block.exitSignal === null);
  return { block, isUnreadable: isCut || isUnknown };
}

/** `STATUS: x`, also as `- **Status:** x`. */
const FIELD = /^(?:(?:[-*+]|\d{1,2}[.)])[ \t]+)?[*_`]*([a-z]+(?:[ _-][a-z]+)*)[*_`]*[ \t]*:[*_]*(.*)$/i;

function fieldsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [i, line] of lines.entries()) {
    const field = FIELD.exec(line.trim());
    if (field === null) continue;
    const [, key = '', value = ''] = field;
    const name = constant(key);
    if (name === 'FEEDBACK') {
      // Feedback is free text of many lines, which may look like fields: it ends only with the block.
      fields.set(name, [value, ...lines.slice(i + 1)].join('\n').trim());
      break;
    }
    fields.set(name, value.trim());
  }
  return fields;
}

function listed(value = ''): readonly string[] {
  return value
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Splits at numbers only: a reason may itself contain semicolons. */
const NEXT_NUMBER = /;(?=\s*#?\d)/;

/** `2 the feature is gone`, also as `#2: …`; empty without a number and a reason. */
function acceptance(part: string): readonly AcceptedFinding[] {
  const [, number = '', reason = ''] = /^#?(\d{1,4})\b[\s:.)-]*(.*)$/.exec(part.trim()) ?? [];
  return /\p{L}/u.test(reason) ? [{ finding: Number(number), reason: reason.trim() }] : [];
}

function oneOf<const T extends string>(value: string | undefined, known: readonly T[]): T | null {
  const said = plain(value);
  return known.find((candidate) => candidate === said) ?? null;
}

function flag(value: string | undefined): boolean | null {
  const said = plain(value);
  return said === 'TRUE' || said === 'YES' ? true : said === 'FALSE' || said === 'NO' ? false : null;
}

/** A value without emphasis, full stop and remark; empty when the remark retracts the value. */
function plain(text = ''): string {
  const remarkAt = text.search(REMARK);
  const said = constant(remarkAt < 0 ? text : text.slice(0, remarkAt));
  return remarkAt >= 0 && CLAIMS.has(said) && DOUBT.test(text.slice(remarkAt)) ? '' : said;
}

/** The start of the remark after a value: `false (one more pass)`, `COMPLETE # for now`. */
const REMARK = /[([{#]|\/\/|<!--| [-–—] /;
const CLAIMS: ReadonlySet<string> = new Set(['COMPLETE', 'TRUE', 'YES', 'APPROVED', 'PASSING']);
const DOUBT =
  /\b(?:not|no|but|except|without|if|once|when|until|unless|after|almost|nearly|partly|partially|mostly|pending|still|should|will|for now|so far|false)\b|n't\b/i;

/** `**In progress.**` as `IN_PROGRESS`. */
function constant(text: string): string {
  return text
    .replace(/^[\s*_`"']+/, '')
    .replace(/[\s*_`"'.,;!✅🎉✓✔]{1,20}$/u, '')
    .replace(/[ -]/g, '_')
    .toUpperCase();
}

interface FoundBlock {
  /** The lines between its markers; null without a complete block. */
  readonly lines: readonly string[] | null;
  /** Another block has no end, or may be just an example: the writer's last word is not known. */
  readonly isCut: boolean;
}

/**
 * The last complete block outside fences. A block in a fence is an example, except in a fence at the very end of a text
 * that has no other block: small models fence their own. A block quote is another person's words. Linear in the length.
 */
function findBlock(text: string): FoundBlock {
  const lines = text.split(/\r\n|[\r\n]/);
  let fence: Fence | null = null;
  let begun: { readonly at: number; readonly isFenced: boolean } | null = null;
  let own: readonly string[] | null = null;
  let fenced: { readonly lines: readonly string[]; readonly end: number } | null = null;
  for (const [i, line] of lines.entries()) {
    if (beginsBlock(line)) begun = { at: i, isFenced: fence !== null };
    else if (begun !== null && endsBlock(line)) {
      const between = lines.slice(begun.at + 1, i);
      if (begun.isFenced) fenced = { lines: between, end: i };
      else own = between;
      begun = null;
    } else if (begun === null || begun.isFenced) {
      // Only outside a block: inside one a fence belongs to the feedback.
      const trimmed = line.trim();
      fence = fence === null ? openedBy(trimmed) : afterLine(fence, trimmed);
      if (fence === null) begun = null;
    }
  }
  const last = fenced !== null && lines.slice(fenced.end + 1).every(isTrailingLine) ? fenced.lines : null;
  // In an unclosed fence, a last block is as likely an answer as an example.
  const isDisputed = own !== null && last !== null && fence !== null;
  return { lines: own ?? last, isCut: begun !== null || isDisputed };
}

/** A blank line, the end of a fence, or the promise. */
function isTrailingLine(line: string): boolean {
  return /^[\s`~*_]*(?:<promise>[^<]*<\/promise>[\s*_.]*)?$/.test(line);
}
