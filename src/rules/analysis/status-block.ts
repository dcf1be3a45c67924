import type { AcceptedFinding } from '../../contracts/model.ts';
import { findBlock } from './find-block.ts';

export { BLOCK_BEGIN, BLOCK_END } from './status-markers.ts';

/** What an agent says at the end of its answer, field by field; null where it said nothing known. */
export interface StatusBlock {
  readonly status: 'COMPLETE' | 'IN_PROGRESS' | 'BLOCKED' | null;
  readonly tasksCompleted: number | null;
  readonly filesModified: number | null;
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

/** A status block, and whether it can be gone by. */
export interface StatusReading {
  readonly block: StatusBlock | null;
  /** A block was begun and not ended, or its STATUS or EXIT_SIGNAL is there but says nothing known. */
  readonly isUnreadable: boolean;
}

/**
 * The last complete status block of a text, or null; see `findBlock` for where one counts. A block without its end
 * marker (an answer cut short) is none. Capitals, emphasis, marks of lists and remarks in brackets make no difference.
 * An unknown value leaves its field null, so that a template echoed back claims nothing. Linear in the length.
 */
export function parseStatusBlock(text: string): StatusBlock | null {
  return readStatus(text).block;
}

/** The status block as `parseStatusBlock` has it, and whether something in its place cannot be read. */
export function readStatus(text: string): StatusReading {
  const { lines, isCut } = findBlock(text);
  if (lines === null) return { block: null, isUnreadable: isCut };
  const fields = fieldsOf(lines);
  const block = blockOf(fields);
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
      // Feedback is free text of many lines, and those may look like fields: it ends only with the block.
      fields.set(name, [value, ...lines.slice(i + 1)].join('\n').trim());
      break;
    }
    fields.set(name, value.trim());
  }
  return fields;
}

function blockOf(fields: ReadonlyMap<string, string>): StatusBlock {
  return {
    status: oneOf(fields.get('STATUS'), ['COMPLETE', 'IN_PROGRESS', 'BLOCKED']),
    tasksCompleted: count(fields.get('TASKS_COMPLETED_THIS_LOOP')),
    filesModified: count(fields.get('FILES_MODIFIED')),
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
}

/** `a; b` as its parts. */
function listed(value = ''): readonly string[] {
  return value
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A reason may hold semicolons itself. */
const NEXT_NUMBER = /;(?=\s*#?\d)/;

/** `2 the feature is gone`, also as `#2: …`; nothing without a number and a reason. */
function acceptance(part: string): readonly AcceptedFinding[] {
  const [, number = '', reason = ''] = /^#?(\d{1,4})\b[\s:.)-]*(.*)$/.exec(part.trim()) ?? [];
  return /\p{L}/u.test(reason) ? [{ finding: Number(number), reason: reason.trim() }] : [];
}

function oneOf<const T extends string>(value: string | undefined, known: readonly T[]): T | null {
  const said = plain(value);
  return known.find((candidate) => candidate === said) ?? null;
}

function count(value: string | undefined): number | null {
  const said = plain(value);
  return /^\d{1,9}$/.test(said) ? Number(said) : null;
}

function flag(value: string | undefined): boolean | null {
  const said = plain(value);
  return said === 'TRUE' || said === 'YES' ? true : said === 'FALSE' || said === 'NO' ? false : null;
}

/** A value without emphasis, full stop and remark; empty when the remark takes a claim back. */
function plain(text = ''): string {
  const remarkAt = text.search(REMARK);
  const said = constant(remarkAt < 0 ? text : text.slice(0, remarkAt));
  const isTakenBack = remarkAt >= 0 && CLAIMS.has(said) && DOUBT.test(text.slice(remarkAt));
  return isTakenBack ? '' : said;
}

/** Where the remark after a value begins: `false (one more pass)`, `COMPLETE # for now`. */
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
