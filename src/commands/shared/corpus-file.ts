import { resolve } from 'node:path';
import { FileProblemsError, jsonObject, type Problem, UsageError } from '../../contracts/index.ts';
import { readText } from '../../platform/index.ts';
import { nearest } from '../../rules/text/index.ts';

export interface CorpusRow {
  /** 0-based, blank lines not counted. */
  readonly index: number;
  /** 1-based, in the file. */
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Reads a corpus of cases, one JSON object per line.
 * @throws UsageError when the file is missing or holds no case
 * @throws FileProblemsError with every line that is not a JSON object or lacks one of the `required` fields
 */
export async function readCorpus(
  path: string,
  { cwd }: { readonly cwd: string },
  required: readonly string[],
): Promise<readonly CorpusRow[]> {
  const text = await readText(resolve(cwd, path));
  if (text === null)
    throw new UsageError({ what: `there is no file ${path}`, fix: ['name a file with one JSON object per line'] });
  const rows: CorpusRow[] = [];
  const problems: Problem[] = [];
  for (const [at, each] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (each.trim() === '') continue;
    const fields = jsonObject(each);
    const missing = fields === null ? [] : required.filter((name) => !(name in fields));
    if (fields === null)
      problems.push(problemAt(path, at + 1, 'this is not a JSON object', 'write one JSON object per line'));
    else if (missing.length > 0)
      problems.push(problemAt(path, at + 1, `no ${missing.join(', no ')}`, `add ${missing.join(', ')}`));
    else rows.push({ index: rows.length, line: at + 1, fields });
  }
  if (problems.length > 0) throw corpusProblems(path, problems);
  if (rows.length === 0)
    throw new UsageError({ what: `${path} contains no case`, fix: ['write one JSON object per line'] });
  return rows;
}

export function problemAt(file: string, line: number, message: string, fix: string): Problem {
  return { severity: 'error', rule: 'corpus/line', file, line, message, fix };
}

export function corpusProblems(path: string, problems: readonly Problem[]): FileProblemsError {
  return new FileProblemsError({ what: `${path} cannot be used as a corpus` }, problems);
}

export function labelProblem(path: string, { line, fields: { label } }: CorpusRow, known: readonly string[]): Problem {
  const near = typeof label === 'string' ? nearest(label, known) : null;
  const fix = `one of ${known.join(', ')}${near ? `; did you mean ${near}?` : ''}`;
  return problemAt(path, line, `unknown label ${JSON.stringify(label)}`, fix);
}

/** A share of nothing is null. */
export function percent(part: number | null): string {
  return part === null ? '-' : `${(part * 100).toFixed(1)} %`;
}
