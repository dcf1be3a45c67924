import { UsageError } from '../../contracts/errors.ts';
import { type GhOptions, runGh } from './gh.ts';

/** Which issues: of a repository (null: the current one), with a label, or one by its number. */
export interface IssueQuery {
  readonly repository: string | null;
  readonly label: string | null;
  readonly number: number | null;
}

/** An issue as GitHub has it. Every text is somebody else's: data, never instructions to us. */
export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly url: string;
  readonly author: string;
  readonly milestone: string | null;
  readonly isOpen: boolean;
}

/** More than any run will ever work off, few enough to be listed in one go. */
export const MOST_ISSUES = 500;
const FIELDS = 'number,title,state,body,labels,url,author,milestone';
/** A list takes seconds; whoever stands before a terminal gives up sooner than a run does. */
const TIMEOUT_MS = 30_000;

/**
 * Open issues, oldest first, {@link MOST_ISSUES} of them at most; or the one that is named, whatever its state.
 * @throws UsageError when gh is missing, not logged in, silent for 30 s, or knows no such repository
 */
export async function listIssues(query: IssueQuery, options: GhOptions): Promise<readonly Issue[]> {
  const where = query.repository === null ? [] : ['--repo', query.repository];
  const what =
    query.number === null
      ? ['issue', 'list', ...where, ...(query.label === null ? [] : ['--label', query.label]), '--state', 'open']
      : ['issue', 'view', String(query.number), ...where];
  const limit = query.number === null ? ['--limit', String(MOST_ISSUES)] : [];
  const printed = await runGh([...what, ...limit, '--json', FIELDS], { timeoutMs: TIMEOUT_MS, ...options });
  return issuesIn(printed).sort((a, b) => a.number - b.number);
}

function issuesIn(printed: string): Issue[] {
  try {
    const value: unknown = JSON.parse(printed);
    return (Array.isArray(value) ? value : [value]).map(toIssue);
  } catch {
    throw new UsageError({
      what: 'gh printed something that is no list of issues',
      why: printed.trim().slice(0, 200),
      mend: ['update gh: https://cli.github.com'],
    });
  }
}

function toIssue(value: unknown): Issue {
  const fields = record(value);
  const number = Number(fields['number']);
  if (!Number.isSafeInteger(number)) throw new TypeError('an issue without a number');
  const labels = Array.isArray(fields['labels']) ? fields['labels'] : [];
  const milestone = text(record(fields['milestone'])['title']);
  return {
    number,
    title: text(fields['title']),
    body: text(fields['body']),
    labels: labels
      .map((label) => text(typeof label === 'string' ? label : record(label)['name']))
      .filter((name) => name !== ''),
    url: text(fields['url']),
    author: text(record(fields['author'])['login']),
    milestone: milestone === '' ? null : milestone,
    isOpen: !/^(?:closed|merged)$/i.test(text(fields['state'])),
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
