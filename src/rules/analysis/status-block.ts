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
}

export const BLOCK_BEGIN = '---RALPH_STATUS---';
export const BLOCK_END = '---END_RALPH_STATUS---';

/**
 * The last complete status block of a text, or null. Markers and fields stand on lines of their own, anywhere in the
 * text, also inside a Markdown fence; a block without its end marker (an answer cut short) is none. An unknown value
 * leaves its field null, so that a template echoed back claims nothing. Linear in the length of the text.
 */
export function parseStatusBlock(text: string): StatusBlock | null {
  const lines = text.split(/\r?\n/);
  let begin = -1;
  let last: readonly string[] | null = null;
  for (const [i, line] of lines.entries()) {
    const marker = line.trim();
    if (marker === BLOCK_BEGIN) begin = i;
    if (marker === BLOCK_END && begin >= 0) {
      last = lines.slice(begin + 1, i);
      begin = -1;
    }
  }
  return last === null ? null : parseFields(last);
}

function parseFields(lines: readonly string[]): StatusBlock {
  const fields = new Map<string, string>();
  for (const [i, line] of lines.entries()) {
    const field = /^[ \t]*([A-Z_]+):(.*)$/.exec(line);
    if (field === null) continue;
    const [, name = '', value = ''] = field;
    if (name === 'FEEDBACK') {
      // Feedback is free text of many lines, and those may look like fields: it ends only with the block.
      fields.set(name, [value, ...lines.slice(i + 1)].join('\n').trim());
      break;
    }
    fields.set(name, value.trim());
  }
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
  };
}

function oneOf<const T extends string>(value: string | undefined, known: readonly T[]): T | null {
  return known.find((candidate) => candidate === value) ?? null;
}

function count(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null;
}

function flag(value: string | undefined): boolean | null {
  return value === 'true' ? true : value === 'false' ? false : null;
}
