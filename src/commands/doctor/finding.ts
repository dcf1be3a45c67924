import { BrokenRepository, ConfigError, FileProblemsError, GitError, RalphError } from '../../contracts/errors.ts';
import { fileTrouble } from '../shared/file-trouble.ts';

/** One thing a run needs, as it was found. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** What else is worth knowing, one line each. */
  readonly more?: readonly string[];
  /** Ways out; empty when all is well. */
  readonly mend: readonly string[];
  /** `place`: the machine or the project; `agent`: who would do the work. They end with different exit codes. */
  readonly concerns: 'place' | 'agent';
}

/** Tries something; what it refuses with, or the file system does, becomes the finding. Bugs pass through. */
export async function look<T>(
  name: string,
  attempt: () => Promise<T>,
  detail: (found: T) => string,
  concerns: Finding['concerns'] = 'place',
): Promise<readonly [T | null, Finding]> {
  try {
    const found = await attempt();
    return [found, { name, state: 'ok', detail: detail(found), mend: [], concerns }];
  } catch (thrown) {
    const error = fileTrouble(thrown) ?? thrown;
    if (!(error instanceof RalphError)) throw error;
    const { mend = [] } = error.facts;
    const ways = error instanceof FileProblemsError ? ['ralph validate'] : mend.map(commandIn);
    return [null, { name, state: 'failed', detail: said(error), mend: ways, concerns }];
  }
}

/** The findings of a part; where it cannot be looked at, that is the one finding. */
export async function lookThrough(
  name: string,
  attempt: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const [found, failed] = await look(name, attempt, () => '');
  return found ?? [failed];
}

/** Errors whose reason is not the same every time. */
const DIFFERS = [GitError, ConfigError, BrokenRepository];

/** What and where; the reason too where it is not the same every time. */
function said(error: RalphError): string {
  const { what, where, why } = error.facts;
  const line = where ? `${what} (${where})` : what;
  if (error instanceof FileProblemsError) {
    const first = error.problems.find(({ severity }) => severity === 'error') ?? error.problems[0];
    return first ? `${line}: ${first.file}:${first.line}: ${first.message}` : line;
  }
  return why && DIFFERS.some((kind) => error instanceof kind) ? `${line}: ${why}` : line;
}

/** A way out that begins with a command, as that command alone: to be copied. */
function commandIn(way: string): string {
  return /^`([^`]+)`/.exec(way)?.[1] ?? way;
}
